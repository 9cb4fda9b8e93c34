import { addLabels, type HoldLabels } from '#events/hold.vocabulary.js';
import { derivedId } from './derived-id.js';

/**
 * The actor and the request of a command. All ids of its events are derived from it. The labels are
 * of the request that asked, where it has them; they are no part of the events' metadata.
 */
export interface CommandContext extends Readonly<HoldLabels> {
  /** A UUID; every retry of a request has the same one. */
  readonly requestId: string;
  /** Shared by all commands and events that one outside request causes. */
  readonly correlationId: string;
  /** The event or request this command follows from. */
  readonly causationId: string;
  /** `user:<id>`, `cli`, `saga:<name>`, `system`. */
  readonly actor: string;
  /** Whether the policy of the key that asked allows a model. Absent: it allows every model. */
  readonly allowsModel?: (name: string) => boolean;
}

export const contextOf = (
  requestId: string,
  actor: string,
  labels: HoldLabels = {},
): CommandContext =>
  addLabels<CommandContext>(
    { requestId, correlationId: requestId, causationId: requestId, actor },
    labels,
  );

/** A command that follows from an event or a timer: same correlation, an id of its own. */
export const followUp = (
  cause: { readonly id: string; readonly correlationId: string },
  discriminator: string,
  actor: string,
): CommandContext => ({
  requestId: derivedId(discriminator, cause.id),
  correlationId: cause.correlationId,
  causationId: cause.id,
  actor,
});

/**
 * Every retry of a request derives the same ids, so an append retried after a time-out lands once.
 */
export const eventId = (
  context: CommandContext,
  stream: string,
  commandType: string,
  index: number,
): string => derivedId(`${stream}\n${commandType}\n${index}`, context.requestId);
