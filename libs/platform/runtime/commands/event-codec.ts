import {
  type AnyEventDefinition,
  revive,
  type StoredEvent,
  UnreadableEventError,
} from '#events/definition.js';
import { type EventToAppend, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type DefinitionOf, type DomainEvent } from '#platform/kernel/projection.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type CommandContext, eventId } from './command-context.js';
import { type SchemaCheck, schemaCheckOf } from './schema-check.js';

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

/** Unreadable events that are remembered, for readiness. */
const UNREADABLE_MAX = 100;

/**
 * Turns domain events into stored events and back. A live event keeps the data object it was
 * appended with and several handlers read it, so the codec caches each event by its data: only data
 * from the disk is validated again, and once.
 */
export class EventCodec implements CodecOf<DomainEvent> {
  readonly #definitions: ReadonlyMap<string, AnyEventDefinition>;
  /** By type. They spare most events the parsing; zod remains the judge of the others. */
  readonly #checks = new Map<string, SchemaCheck>();
  readonly #revived = new WeakMap<object, DomainEvent>();
  /** By position. */
  readonly #unreadable = new Map<bigint, DamagedEvent>();

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
    for (const { type, schema } of definitions) {
      const check = schemaCheckOf(schema);
      if (check) this.#checks.set(type, check);
    }
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
    const event = this.#read(recorded, { type, data, version: metadata.version });
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
    const data = this.#valid(event, definition);
    this.#revived.set(data, { type: event.type, data });
    const { requestId, correlationId, causationId, actor } = context;
    return {
      id: eventId(context, stream, commandType, index),
      type: event.type,
      data,
      metadata: { version, requestId, correlationId, causationId, actor },
    };
  }

  /** Events that this process has met and could not read. */
  unreadable(): readonly DamagedEvent[] {
    return [...this.#unreadable.values()];
  }

  #valid({ type, data }: DomainEvent, { version, schema }: AnyEventDefinition): object {
    if (this.#checks.get(type)?.(data)) return data as object;
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data as object;
    throw new UnreadableEventError({ type, data, version }, parsed.error.message);
  }

  #read({ position, stream }: RecordedEvent, stored: StoredEvent): DomainEvent {
    try {
      const definition = this.#definition(stored.type);
      const { type, version, data } = stored;
      const isValid = version === definition.version && this.#checks.get(type)?.(data);
      return isValid ? { type, data } : revive(definition, stored);
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      const { reason, cause } = error;
      if (this.#unreadable.size < UNREADABLE_MAX) {
        this.#unreadable.set(position, { position, stream, reason: error.message });
      }
      const where = `at position ${position} of ${stream}: ${reason}`;
      throw new UnreadableEventError(stored, where, { cause });
    }
  }

  #definition(type: string): AnyEventDefinition {
    const definition = this.#definitions.get(type);
    if (!definition) throw new UnknownEventTypeError(`no area defines the event ${type}`);
    return definition;
  }
}
