import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type Offered } from '#platform/event-store/position-demand.js';

/** A reader of the log and how far it has come. */
export interface LaggingReader {
  /** Of its checkpoint. */
  readonly name: string;
  readonly types: readonly string[];
  readonly position: Position;
  /** Of a reader that is live: spares the reading. */
  readonly offered?: Offered;
}

export interface Lag {
  /** The log's head less the position; 0n where the reader reads no event in between. */
  readonly positions: bigint;
  /** When the first unread event of the reader was recorded; ISO 8601 UTC, or null. */
  readonly since: string | null;
}

const NO_LAG: Lag = { positions: 0n, since: null };

/** Events of the read that all readers share. */
const EVENTS_SHARED = 1_000;
/** Of the first read for one reader: most have theirs soon. Each next one has more. */
const EVENTS_ALONE = 8;
const GROWTH = 8;

/** Where the first unread event of some readers was looked for. */
interface Search {
  /** When it was recorded. A reader that is not in it has none up to `upTo`. */
  readonly found: ReadonlyMap<LaggingReader, string>;
  /** The last position of the search. */
  readonly upTo: Position;
  readonly isDamaged: boolean;
}

/**
 * How far readers are behind. One read finds the first unread event of most readers that are
 * behind, and a part of the log without events of a reader is searched once.
 */
export class ReaderLags {
  /** By reader: it reads no event between its position and this one. */
  readonly #searched = new Map<string, Position>();

  constructor(private readonly eventStore: EventStore) {}

  /** @returns the lags by the names of the readers */
  async of(readers: readonly LaggingReader[]): Promise<ReadonlyMap<string, Lag>> {
    const head = await this.eventStore.head();
    const behind = readers.filter(
      (reader) => reader.offered?.since == null && this.#from(reader) < head,
    );
    const first = await this.#search(behind, head, EVENTS_SHARED);
    const lagOf = async (reader: LaggingReader): Promise<Lag> => {
      const waiting = reader.offered?.since ?? null;
      if (waiting !== null) return { positions: head - reader.position, since: waiting };
      if (!behind.includes(reader)) return NO_LAG;
      const isDone = first.found.has(reader) || (first.upTo >= head && !first.isDamaged);
      const { found, isDamaged } = isDone ? first : await this.#searchFor(reader, head);
      const since = found.get(reader) ?? null;
      if (since === null && !isDamaged) return NO_LAG;
      return { positions: head - reader.position, since };
    };
    const lags = readers.map(async (reader) => [reader.name, await lagOf(reader)] as const);
    return new Map(await Promise.all(lags));
  }

  /** Up to here the reader has handled all its events, or none of them waits. */
  #from({ name, position, offered }: LaggingReader): Position {
    const searched = this.#searched.get(name) ?? 0n;
    const read = offered && offered.position > position ? offered.position : position;
    return searched > read ? searched : read;
  }

  async #searchFor(reader: LaggingReader, head: Position): Promise<Search> {
    for (let limit = EVENTS_ALONE; ; limit *= GROWTH) {
      const search = await this.#search([reader], head, limit);
      if (search.found.has(reader) || search.upTo >= head) return search;
    }
  }

  /** Reads on behind the searched part, until each reader has an event or `limit` were read. */
  async #search(readers: readonly LaggingReader[], head: Position, limit: number): Promise<Search> {
    const found = new Map<LaggingReader, string>();
    if (readers.length === 0) return { found, upTo: head, isDamaged: false };
    const after = readers
      .map((reader) => this.#from(reader))
      .reduce((least, one) => (one < least ? one : least));
    const prefixes = [...new Set(readers.flatMap(({ types }) => types))];
    const damaged: DamagedEvent[] = [];
    const onDamaged = (one: DamagedEvent): void => void damaged.push(one);
    let left = limit;
    let upTo = after;
    const filter = { by: 'type', prefixes } as const;
    const options = { after, filter, onDamaged, maxCount: limit };
    for await (const page of this.eventStore.readAll(options)) {
      for (const { type, position, recordedAt } of page) {
        upTo = position;
        left -= 1;
        for (const reader of readers) {
          if (found.has(reader) || position <= this.#from(reader)) continue;
          if (reader.types.includes(type)) found.set(reader, recordedAt);
        }
      }
      if (found.size === readers.length) break;
    }
    const isWhole = found.size < readers.length && left > 0;
    if (isWhole && upTo < head) upTo = head;
    const isDamaged = damaged.length > 0;
    if (!isDamaged) {
      for (const reader of readers) if (!found.has(reader)) this.#searched.set(reader.name, upTo);
    }
    return { found, upTo, isDamaged };
  }
}
