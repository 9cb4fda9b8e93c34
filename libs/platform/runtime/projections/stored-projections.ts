import { type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection, typesOf } from '#platform/kernel/projection.js';
import { collectionOf, type Generation } from './generations.js';
import { type ReaderLags } from '../subscriptions/reader-lags.js';

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
  /** As in `Lag.since`. */
  readonly since: string | null;
}

/** The pointers and checkpoints of projections; no process needs to run them. */
export const storedProjections = async (
  projections: readonly AnyProjection[],
  serving: ReadonlyMap<string, Generation>,
  checkpoints: ReadonlyMap<string, Position>,
  lags: ReaderLags,
): Promise<readonly StoredProjection[]> => {
  const readers = projections.map((projection) => {
    const pointer = serving.get(projection.name) ?? null;
    const name = pointer ? collectionOf(projection.name, pointer) : projection.name;
    const position = checkpoints.get(name) ?? 0n;
    return { projection, pointer, name, types: typesOf(projection.on), position };
  });
  const found = await lags.of(readers);
  return readers.map(({ projection, pointer, name, position }) => ({
    projection: projection.name,
    version: projection.version,
    serving: pointer && { version: pointer.version, generation: pointer.generation },
    position,
    lag: found.get(name)?.positions ?? 0n,
    since: found.get(name)?.since ?? null,
  }));
};
