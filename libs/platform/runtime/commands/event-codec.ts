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

/** A definition, and the check that spares most of its events the parsing. */
interface Known {
  readonly definition: AnyEventDefinition;
  /** Made when the first event is checked; null where zod has to judge every event. */
  check: SchemaCheck | null | undefined;
}

/** Unreadable events that are remembered, for readiness. */
const UNREADABLE_MAX = 100;

/** The source of a stored event: a domain event that the codec has checked. */
class CheckedEvent {
  constructor(
    readonly codec: EventCodec,
    readonly event: DomainEvent,
  ) {}
}

/**
 * Turns domain events into stored events and back. Several handlers read an event. A live event
 * brings the domain event that it was made of; an event from the disk is validated, and cached by
 * its data.
 */
export class EventCodec implements CodecOf<DomainEvent> {
  readonly #byType = new Map<string, Known>();
  readonly #revived = new WeakMap<object, DomainEvent>();
  /** By position. */
  readonly #unreadable = new Map<bigint, DamagedEvent>();

  /** @throws Error when two definitions have one name */
  constructor(definitions: readonly AnyEventDefinition[]) {
    for (const definition of definitions) {
      const { type } = definition;
      const known = this.#byType.get(type);
      if (known && known.definition !== definition) {
        throw new Error(`two definitions of the event ${type}`);
      }
      this.#byType.set(type, { definition, check: undefined });
    }
  }

  /**
   * The codec of one decider or handler, typed as the union of these definitions.
   * @throws UnknownEventTypeError when no area declares one of them
   */
  for<Definition extends DefinitionOf<DomainEvent>>(
    definitions: readonly Definition[],
  ): CodecOf<ReturnType<Definition['of']>> {
    const types = new Set<string>(definitions.map(({ type }) => this.#known(type).definition.type));
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
    const known = this.#checked(recorded) ?? this.#revived.get(data);
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
    const { type } = event;
    const known = this.#known(type);
    const data = validData(event, known);
    const checked = data === event.data ? event : { type, data };
    const { version } = known.definition;
    const { requestId, correlationId, causationId, actor } = context;
    return {
      id: eventId(context, stream, commandType, index),
      type,
      data,
      metadata: { version, requestId, correlationId, causationId, actor },
      source: new CheckedEvent(this, checked),
    };
  }

  /** Events that this process has met and could not read. */
  unreadable(): readonly DamagedEvent[] {
    return [...this.#unreadable.values()];
  }

  /** The domain event that a live event was made of, by this codec and with the same data. */
  #checked({ source, data }: RecordedEvent): DomainEvent | undefined {
    if (!(source instanceof CheckedEvent) || source.codec !== this) return undefined;
    return source.event.data === data ? source.event : undefined;
  }

  #read({ position, stream }: RecordedEvent, stored: StoredEvent): DomainEvent {
    try {
      const { type, version, data } = stored;
      const known = this.#known(type);
      const { definition } = known;
      const isValid = version === definition.version && isAccepted(data, known);
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

  #known(type: string): Known {
    const known = this.#byType.get(type);
    if (!known) throw new UnknownEventTypeError(`no area defines the event ${type}`);
    return known;
  }
}

const isAccepted = (data: unknown, known: Known): data is object => {
  if (known.check === undefined) known.check = schemaCheckOf(known.definition.schema);
  return known.check !== null && known.check(data);
};

const validData = ({ type, data }: DomainEvent, known: Known): object => {
  if (isAccepted(data, known)) return data;
  const { schema, version } = known.definition;
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data as object;
  throw new UnreadableEventError({ type, data, version }, parsed.error.message);
};
