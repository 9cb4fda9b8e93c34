import { derivedId } from './derived-id.js';

/** Who asks, and by which request. Every id that a command mints is derived from it. */
export interface CommandContext {
  /** A UUID; one request always carries the same one, however often it is retried. */
  readonly requestId: string;
  /** Shared by everything one outside request set off. */
  readonly correlationId: string;
  /** The event or request this command follows from. */
  readonly causationId: string;
  /** `user:<id>`, `cli`, `saga:<name>`, `system`. */
  readonly actor: string;
}

export const contextOf = (requestId: string, actor: string): CommandContext => ({
  requestId,
  correlationId: requestId,
  causationId: requestId,
  actor,
});

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

/** One request always mints the same ids, so an append retried after a time-out lands once. */
export const eventId = (
  context: CommandContext,
  stream: string,
  commandType: string,
  index: number,
): string => derivedId(`${stream}\n${commandType}\n${index}`, context.requestId);
