import {
  type EventStore,
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';
import { checkpointAt, type SubscriptionHandler } from '../subscriptions/subscription-handler.js';
import { type Epochs, epochsOf, positionKey } from './epochs.js';
import { LogPages } from './log-pages.js';

/** The collection, and the name of the checkpoint. */
export const LOG_TIMES = 'log-times';

/** Where an epoch begins in the log, and when. */
export interface EpochMark {
  /** The last event before the epoch; 0 for none. */
  readonly after: string;
  /** The latest instant of the events up to there; the empty string for none. */
  readonly at: string;
}

const BY_POSITION = 'position/';
const BY_INSTANT = 'instant/';
/** The character after the slash that ends the instant in a key. */
const BEHIND_SLASH = '0';

/** Every type starts with it. */
const ALL_TYPES = '';

/**
 * Notes in the read store where each epoch of the log begins, by position and by instant. It is a
 * cache: a reader that finds no mark reads the log from further back.
 */
export class LogTimesKeeper implements SubscriptionHandler {
  readonly name = LOG_TIMES;
  readonly types = [ALL_TYPES];
  #epochs: Epochs | undefined;
  /** The last event that was read, and the latest instant up to there. */
  #after: Position = 0n;
  #at = '';
  /** The first position of the next epoch. */
  #next: Position = 0n;

  constructor(
    private readonly readStore: ReadStore,
    eventStore: EventStore,
    private readonly epochsWanted: () => Promise<Epochs | undefined> = () => epochsOf(eventStore),
  ) {}

  /** Continues where the last epoch begins: the latest instant before it is known. */
  async checkpoint(): Promise<Position | undefined> {
    const saved = await this.readStore.checkpoint(LOG_TIMES);
    const { after, at } = await lastMark(this.readStore, { prefix: BY_POSITION });
    this.#after = BigInt(after);
    this.#at = at;
    this.#next = 0n;
    return saved === undefined ? undefined : this.#after;
  }

  async handle({ events }: SubscriptionBatch): Promise<void> {
    if (events.length === 0) return;
    const epochs = (this.#epochs ??= await this.epochsWanted());
    if (epochs === undefined) return;
    const writes: DocumentWrite[] = [];
    for (const { position, recordedAt } of events) {
      if (position <= this.#after) continue;
      if (position >= this.#next) {
        const mark = { after: this.#after.toString(), at: this.#at };
        writes.push(...writesOf(mark, epochs.start(position), position));
        this.#next = epochs.start(position) + epochs.length;
      }
      this.#after = position;
      this.#at = later(this.#at, recordedAt);
    }
    if (writes.length === 0) return;
    const checkpoint = checkpointAt(LOG_TIMES, this.#after, events.at(-1));
    await this.readStore.commit({ writes, checkpoint });
  }
}

const later = (one: string, other: string): string => (one > other ? one : other);

const writesOf = (
  document: EpochMark,
  start: Position,
  position: Position,
): readonly DocumentWrite[] => [
  { collection: LOG_TIMES, key: BY_POSITION + positionKey(start), document, position },
  {
    collection: LOG_TIMES,
    key: `${BY_INSTANT}${document.at}/${positionKey(start)}`,
    document,
    position,
  },
];

interface MarkRange {
  readonly prefix: string;
  readonly before?: string;
}

const lastMark = async (readStore: ReadStore, range: MarkRange): Promise<EpochMark> => {
  const options = { ...range, direction: 'backwards', limit: 1 } as const;
  const [found] = await readStore.list<EpochMark>(LOG_TIMES, options);
  return found?.document ?? { after: '0', at: '' };
};

/** An epoch of the log, up to a position. */
export interface Stretch {
  readonly position: Position;
  /** The latest instant of the events up to the position; the empty string for none. */
  readonly at: string;
  readonly events: readonly RecordedEvent[];
}

/** Finds positions by instants, and the events of the epoch before a position. */
export class LogTimes {
  readonly #pages: LogPages;

  constructor(
    private readonly readStore: ReadStore,
    eventStore: EventStore,
  ) {
    this.#pages = new LogPages(eventStore);
  }

  /** The epoch of a position, up to the position. */
  async upTo(position: Position, epochs: Epochs): Promise<Stretch> {
    const start = epochs.start(position);
    const before = BY_POSITION + positionKey(start + 1n);
    const mark = await lastMark(this.readStore, { prefix: BY_POSITION, before });
    const events: RecordedEvent[] = [];
    let { at } = mark;
    const read = (event: RecordedEvent): boolean => {
      if (event.position > position) return false;
      if (event.position >= start) events.push(event);
      at = later(at, event.recordedAt);
      return true;
    };
    await this.#readWhile(mark, read);
    return { position, at, events };
  }

  /** The last position before the first event that was recorded after the instant. */
  async positionAt(instant: string): Promise<Position> {
    const before = `${BY_INSTANT}${instant}${BEHIND_SLASH}`;
    const mark = await lastMark(this.readStore, { prefix: BY_INSTANT, before });
    let position = BigInt(mark.after);
    const read = (event: RecordedEvent): boolean => {
      if (event.recordedAt > instant) return false;
      ({ position } = event);
      return true;
    };
    await this.#readWhile(mark, read);
    return position;
  }

  async #readWhile({ after }: EpochMark, read: (event: RecordedEvent) => boolean): Promise<void> {
    for await (const page of this.#pages.after(BigInt(after))) {
      if (!page.every(read)) return;
    }
  }
}
