import { type AnyEventDefinition, revive, UnreadableEventError } from '#events/definition.js';
import { type EventToAppend, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { type CommandContext, eventId } from './command-context.js';

/** An event that no area defines; a reader must not pass over it in silence. */
export class UnknownEventTypeError extends Error {
  override readonly name = 'UnknownEventTypeError';
}

/**
 * Turns domain events into what the log keeps and back. Each is remembered beside its data, because
 * a live event keeps the data it was appended with and is read by several followers: only what comes
 * from the disk is validated again, and once.
 */
export class EventCodec {
  readonly #definitions: ReadonlyMap<string, AnyEventDefinition>;
  readonly #revived = new WeakMap<object, DomainEvent>();

  constructor(definitions: readonly AnyEventDefinition[]) {
    const byType = new Map<string, AnyEventDefinition>();
    for (const definition of definitions) {
      const known = byType.get(definition.type);
      if (known && known !== definition) {
        throw new Error(`two definitions of the event ${definition.type}`);
      }
      byType.set(definition.type, definition);
    }
    this.#definitions = byType;
  }

  /** @throws UnreadableEventError | UnknownEventTypeError */
  revive(recorded: RecordedEvent): DomainEvent {
    const { type, data, metadata } = recorded;
    const known = this.#revived.get(data);
    if (known?.type === type) return known;
    const event = revive(this.#definition(type), { type, data, version: metadata.version });
    this.#revived.set(data, event);
    return event;
  }

  /**
   * @throws UnreadableEventError when the data does not fit the schema: what this build could not
   *   read again must not be written
   */
  store(
    event: DomainEvent,
    stream: string,
    commandType: string,
    context: CommandContext,
    index: number,
  ): EventToAppend {
    const definition = this.#definition(event.type);
    const { version } = definition;
    const parsed = definition.schema.safeParse(event.data);
    if (!parsed.success) {
      throw new UnreadableEventError({ ...event, version }, parsed.error.message);
    }
    const data = parsed.data as object;
    this.#revived.set(data, { type: event.type, data });
    const { requestId, correlationId, causationId, actor } = context;
    return {
      id: eventId(context, stream, commandType, index),
      type: event.type,
      data,
      metadata: { version, requestId, correlationId, causationId, actor },
    };
  }

  #definition(type: string): AnyEventDefinition {
    const definition = this.#definitions.get(type);
    if (!definition) throw new UnknownEventTypeError(`no area defines the event ${type}`);
    return definition;
  }
}
