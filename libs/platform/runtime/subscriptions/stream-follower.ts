import { Query } from '@nestjs/cqrs';
import {
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { PositionDemand } from '#platform/event-store/position-demand.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { type CodecOf } from '../commands/event-codec.js';
import { type Reader } from '../projections/reader.js';

/** An event with its place in its stream. */
export interface LoggedEvent<Event> {
  readonly revision: bigint;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly event: Event;
}

/** The events of one stream that comes to an end, which callers can follow. */
export interface StreamHistory<Event> {
  /**
   * Everything after the revision, then live. Ends after the last event, or without an error when
   * the signal aborts.
   */
  readonly follow: (signal: AbortSignal) => AsyncGenerator<LoggedEvent<Event>, void, void>;
}

/** Asks for the history of one stream; a subclass for each kind of stream. */
export abstract class HistoryQuery<Event> extends Query<StreamHistory<Event>> {
  constructor(
    /** As a caller sent it. */
    readonly id: string,
    readonly reader: Reader,
    /** The revision after which the events begin; null for all. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

export interface StreamToFollow<Event> {
  readonly stream: string;
  /** The revision after which the events begin; null for all. */
  readonly after: bigint | null;
  /** The last event had been written when this was asked. */
  readonly isOver: boolean;
  /** Whether the stream goes no further after this event. */
  readonly isLast: (event: Event) => boolean;
}

/** Follows streams of one union of events. */
export class StreamFollower<Event extends DomainEvent> {
  constructor(
    private readonly eventStore: Pick<EventStore, 'read' | 'subscribe'>,
    private readonly codec: CodecOf<Event>,
  ) {}

  history(followed: StreamToFollow<Event>): StreamHistory<Event> {
    return { follow: (signal) => this.#follow(followed, signal) };
  }

  /**
   * The history after an event that a caller names.
   * @param rejectAfter throws the domain error for an event that the stream does not have
   */
  async historyAfter(
    followed: StreamToFollow<Event>,
    rejectAfter: (after: bigint) => never,
  ): Promise<StreamHistory<Event>> {
    const { stream, after } = followed;
    if (after !== null && !(await this.#hasEvent(stream, after))) rejectAfter(after);
    return this.history(followed);
  }

  async #hasEvent(stream: string, revision: bigint): Promise<boolean> {
    const range = { from: revision, maxCount: 1 };
    const pages = await Array.fromAsync(this.eventStore.read(stream, range));
    return pages.flat().length > 0;
  }

  async *#follow(
    { stream, after, isOver: wasOver, isLast }: StreamToFollow<Event>,
    signal: AbortSignal,
  ): AsyncGenerator<LoggedEvent<Event>, void, void> {
    let position: Position = 0n;
    let isOver = wasOver;
    // The event at `after` is read for its position, where the subscription begins.
    for await (const page of this.eventStore.read(stream, { from: after ?? 0n })) {
      for (const recorded of page) {
        if (signal.aborted) return;
        position = recorded.position;
        const logged = this.#logged(recorded);
        isOver ||= isLast(logged.event);
        if (after === null || recorded.revision > after) yield logged;
      }
    }
    if (isOver) return;
    const filter = { by: 'stream', prefixes: [stream] } as const;
    const positions = new PositionDemand();
    const options = { after: position, filter, positions, signal };
    for await (const { events } of this.eventStore.subscribe(options)) {
      for (const recorded of events) {
        const logged = this.#logged(recorded);
        yield logged;
        if (isLast(logged.event)) return;
      }
    }
  }

  #logged(recorded: RecordedEvent): LoggedEvent<Event> {
    const { revision, recordedAt } = recorded;
    return { revision, recordedAt, event: this.codec.revive(recorded) };
  }
}
