import { type AnyEventDefinition, revive, UnreadableEventError } from '#events/definition.js';
import { type EventToAppend, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type DefinitionOf, type DomainEvent } from '#platform/kernel/projection.js';
import { type CommandContext, eventId } from './command-context.js';

/** The log has an event that the caller does not read. It must not be skipped silently. */
export class UnknownEventTypeError extends Error {
  override readonly name = 'UnknownEventTypeError';
}

/** A codec for the events of one union: of a decider, or of the streams that a caller reads. */
export interface CodecOf<Event extends DomainEvent> {
  /** @throws UnreadableEventError; UnknownEventTypeError for an event outside the union */
  revive(recorded: RecordedEvent): Event;

  /**
   * @throws UnreadableEventError when the data does not fit the schema: this build could not read
   *   it again, so it must not be written
   */
  store(
    event: Event,
    stream: string,
    commandType: string,
    context: CommandContext,
    index: number,
  ): EventToAppend;
}

/**
 * Turns domain events into what the log stores and back. A live event keeps the data object it was
 * appended with and several handlers read it, so the codec caches each event by its data: only data
 * from the disk is validated again, and once.
 */
export class EventCodec implements CodecOf<DomainEvent> {
  readonly #definitions: ReadonlyMap<string, AnyEventDefinition>;
  readonly #revived = new WeakMap<object, DomainEvent>();

  /** @throws Error when two definitions have one name */
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

  /**
   * The codec of one decider or handler, typed as the union of these definitions.
   * @throws UnknownEventTypeError when no area declares one of them
   */
  for<Definition extends DefinitionOf<DomainEvent>>(
    definitions: readonly Definition[],
  ): CodecOf<ReturnType<Definition['of']>> {
    const types = new Set<string>(definitions.map(({ type }) => this.#definition(type).type));
    return {
      revive: (recorded) => {
        if (!types.has(recorded.type)) {
          throw new UnknownEventTypeError(`${recorded.type} is not among ${[...types].join(', ')}`);
        }
        // The registered definition of this type is the one of `definitions`: names are unique.
        return this.revive(recorded) as ReturnType<Definition['of']>;
      },
      store: this.store.bind(this),
    };
  }

  revive(recorded: RecordedEvent): DomainEvent {
    const { type, data, metadata } = recorded;
    const known = this.#revived.get(data);
    if (known?.type === type) return known;
    const event = revive(this.#definition(type), { type, data, version: metadata.version });
    this.#revived.set(data, event);
    return event;
  }

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
