import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type DamagedEvent } from '#platform/event-store/log-chain.port.js';
import { type AnyProjection, typesOf } from '#platform/kernel/projection.js';
import { collectionOf, type Generation, type Generations } from './generations.js';

/** A projection's position in the read store, whichever process writes it. */
export interface StoredProjection {
  readonly projection: string;
  /** The version in this build. */
  readonly version: number;
  /** The generation that answers queries, or null before the first one. */
  readonly serving: Generation | null;
  readonly position: Position;
  /** As in `Lag.positions`. */
  readonly lag: bigint;
}

/** Reads one projection's pointer and checkpoint; no process needs to run it. */
export const storedProjection = async (
  projection: AnyProjection,
  generations: Generations,
  checkpoints: ReadonlyMap<string, Position>,
  eventStore: EventStore,
): Promise<StoredProjection> => {
  const { name, version } = projection;
  const pointer = await generations.serving(name);
  const checkpoint = pointer && checkpoints.get(collectionOf(name, pointer));
  const position = checkpoint ?? 0n;
  const { positions: lag } = await lagOf(projection, eventStore, position);
  const serving = pointer ? { version: pointer.version, generation: pointer.generation } : null;
  return { projection: name, version, serving, position, lag };
};

export interface Lag {
  /** The log's head less the position; 0n where the projection reads no event in between. */
  readonly positions: bigint;
  /** When the first unread event of the projection was recorded; ISO 8601 UTC, or null. */
  readonly since: string | null;
}

const NO_LAG: Lag = { positions: 0n, since: null };

export const lagOf = async (
  { on }: AnyProjection,
  eventStore: EventStore,
  position: Position,
): Promise<Lag> => {
  const head = await eventStore.head();
  if (head <= position) return NO_LAG;
  const types = typesOf(on);
  const filter = { by: 'type', prefixes: types } as const;
  const damaged: DamagedEvent[] = [];
  const onDamaged = (one: DamagedEvent): void => void damaged.push(one);
  for await (const page of eventStore.readAll({ after: position, filter, onDamaged })) {
    const first = page.find(({ type }) => types.includes(type));
    if (first) return { positions: head - position, since: first.recordedAt };
  }
  return damaged.length > 0 ? { positions: head - position, since: null } : NO_LAG;
};
