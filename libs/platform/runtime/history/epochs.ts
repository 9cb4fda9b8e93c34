import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';

/**
 * The log in stretches of equal length, in positions. A projection keeps its documents as they were
 * at the end of each stretch, so a past state is that plus the events of one stretch.
 */
export class Epochs {
  constructor(readonly length: bigint) {}

  of(position: Position): bigint {
    return position / this.length;
  }

  /** The lowest position of the epoch of a position. */
  start(position: Position): Position {
    return this.of(position) * this.length;
  }
}

/** Where positions count events. */
const EVENTS_PER_EPOCH = 500n;
/** Where positions count bytes, as in EventStoreDB: about as many events. */
const BYTES_PER_EPOCH = 524_288n;

/**
 * The length of the epochs of a log, by the position of its first event: a log that counts events
 * begins at 1, one that counts bytes has records of its own in front.
 * @returns undefined for an empty log
 */
export const epochsOf = async (eventStore: EventStore): Promise<Epochs | undefined> => {
  let first: Position | undefined;
  const note = (position: Position): void => {
    if (first === undefined || position < first) first = position;
  };
  const onDamaged = ({ position }: { readonly position: Position }): void => note(position);
  for await (const page of eventStore.readAll({ maxCount: 1, onDamaged })) {
    for (const { position } of page) note(position);
    break;
  }
  if (first === undefined) return undefined;
  return new Epochs(first === 1n ? EVENTS_PER_EPOCH : BYTES_PER_EPOCH);
};

const POSITION_DIGITS = 20;

/** Orders as positions do. */
export const positionKey = (position: Position): string =>
  position.toString().padStart(POSITION_DIGITS, '0');
