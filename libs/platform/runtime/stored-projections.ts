import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { collectionOf, type Generation, type Generations } from './generations.js';

/** Where a projection stands in the read store, whichever process keeps it there. */
export interface StoredProjection {
  readonly projection: string;
  /** Of this build. */
  readonly version: number;
  /** What answers queries, or null before the first time. */
  readonly serving: Generation | null;
  readonly position: Position;
  /** The log's head less the position; 0n where nothing in between concerns the projection. */
  readonly lag: bigint;
}

/** Reads one projection's pointer and checkpoint; it need not be running anywhere. */
export const storedProjection = async (
  projection: AnyProjection,
  generations: Generations,
  readStore: ReadStore,
  eventStore: EventStore,
): Promise<StoredProjection> => {
  const { name, version } = projection;
  const pointer = await generations.serving(name);
  const checkpoint = pointer && (await readStore.checkpoint(collectionOf(name, pointer)));
  const position = checkpoint ?? 0n;
  const lag = await lagOf(projection, eventStore, position);
  const serving = pointer ? { version: pointer.version, generation: pointer.generation } : null;
  return { projection: name, version, serving, position, lag };
};

const lagOf = async (
  { on }: AnyProjection,
  eventStore: EventStore,
  position: Position,
): Promise<bigint> => {
  const head = await eventStore.head();
  const types = on.map(({ type }) => type);
  const filter = { by: 'type', prefixes: types } as const;
  for await (const page of eventStore.readAll({ after: position, filter })) {
    if (page.some(({ type }) => types.includes(type))) return head - position;
  }
  return 0n;
};
