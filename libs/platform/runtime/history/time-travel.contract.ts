import { expect } from '@jest/globals';
import fc from 'fast-check';
import {
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { type AnyProjection } from '#platform/kernel/projection.js';
import { LIMIT_MAX } from '#platform/read-store/read-store.checks.js';
import { type ListOptions, type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { type Fault, FaultyEventStore } from '../faulty-stores.fake.js';
import { ProjectionHandler } from '../projections/projection-handler.js';
import { type DocumentReader, type Listed } from '../projections/document-reader.js';
import { DocumentHistory } from './document-history.js';
import { Epochs } from './epochs.js';
import { FoldedDocuments } from './folded-documents.js';
import { countedPlaces } from './log-places.js';
import { LogTimes, LogTimesKeeper } from './log-times.js';
import { PastDocuments } from './past-documents.js';

export interface TimeTravelWorld {
  readonly projections: readonly AnyProjection[];
  readonly codec: EventCodec;
  readonly events: fc.Arbitrary<readonly EventToAppend[]>;
  /** A store of its own for each run; `failing` are the faults of its next commits. */
  readonly openReadStore: (failing: readonly Fault[]) => Promise<ReadStore>;
  readonly numRuns: number;
}

/** Faults that a store may inflict on one commit of a handler. */
const commitFaults = fc.constantFrom<Fault>('none', 'none', 'fail-before', 'fail-after');

const schedules = fc.record({
  epochLength: fc.integer({ min: 1, max: 40 }),
  batches: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  faults: fc.array(fc.oneof(commitFaults, fc.constant<Fault>('fail-halfway')), { maxLength: 12 }),
  /** Where in the log the states lie that are compared, in thousandths. */
  places: fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 3, maxLength: 3 }),
  keeper: fc.boolean(),
});

/**
 * Whatever the events, the batches in which the handlers get them, the length of the epochs and the
 * commits that fail: a past state equals the fold of the log up to its position.
 */
export const pastStatesAreFolds = async (world: TimeTravelWorld): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(world.events, schedules, async (events, schedule) => {
      const eventStore = new FaultyEventStore();
      eventStore.log.append('log-1', events, 'no-stream');
      const readStore = await world.openReadStore(schedule.faults);
      await build(world, eventStore, readStore, schedule);
      const head = await eventStore.head();
      for (const place of schedule.places) {
        // Positions have gaps: a state may lie in one.
        const position = (head * BigInt(place)) / 1_000n;
        await expectFolds(world, eventStore, readStore, position);
      }
      await readStore.close();
    }),
    { numRuns: world.numRuns },
  );
};

interface Schedule {
  readonly epochLength: number;
  readonly batches: readonly number[];
  readonly keeper: boolean;
}

const build = async (
  { projections, codec }: TimeTravelWorld,
  eventStore: FaultyEventStore,
  readStore: ReadStore,
  { epochLength, batches, keeper }: Schedule,
): Promise<void> => {
  const epochs = () => Promise.resolve(new Epochs(BigInt(epochLength)));
  const { events } = eventStore.log;
  for (const projection of projections) {
    const history = new DocumentHistory(projection.name, readStore, eventStore, epochs);
    const { name } = projection;
    const start = () => new ProjectionHandler(projection, name, readStore, codec, history);
    await handleAll(start, events, batches);
  }
  if (!keeper) return;
  await handleAll(() => new LogTimesKeeper(readStore, eventStore, epochs), events, batches);
};

/** After a failure a new handler continues at the checkpoint, as another process would. */
const handleAll = async (
  start: () => Pick<ProjectionHandler, 'checkpoint' | 'handle'>,
  events: readonly RecordedEvent[],
  batches: readonly number[],
): Promise<void> => {
  for (;;) {
    try {
      const handler = start();
      const done = (await handler.checkpoint()) ?? 0n;
      const left = events.filter(({ position }) => position > done);
      for (let from = 0, turn = 0; from < left.length; turn += 1) {
        const size = batches[turn % batches.length] ?? 1;
        const batch = left.slice(from, from + size);
        const position = batch.at(-1)?.position ?? done;
        await handler.handle({ events: batch, position, caughtUp: false });
        from += size;
      }
      return;
    } catch (error) {
      if ((error as Error).name !== 'ReadStoreError') throw error;
    }
  }
};

const expectFolds = async (
  { projections, codec }: TimeTravelWorld,
  eventStore: FaultyEventStore,
  readStore: ReadStore,
  position: Position,
): Promise<void> => {
  const past = await PastDocuments.open(
    { position },
    {
      eventStore,
      readStore,
      times: new LogTimes(readStore, eventStore),
      places: countedPlaces(() => eventStore.head()),
      codec,
      now: 0,
      ask: (projection, _, read) => read(projection.name),
    },
  );
  const moment = { position, at: past.readAt };
  const folded = await FoldedDocuments.fold(projections, eventStore, codec, moment);
  for (const projection of projections) {
    const { documents } = await folded.list(projection, { limit: LIMIT_MAX });
    const keys = documents.map(({ key }) => key);
    const [first = 'x'] = keys;
    const lists: readonly ListOptions[] = [
      {},
      { direction: 'backwards', offset: 1, limit: 2 },
      { from: first, before: `${first}~`, limit: 1 },
      { prefix: first.slice(0, 3), direction: 'backwards' },
    ];
    for (const options of lists) {
      expect(await contentsOf(past, projection, options)).toEqual(
        await contentsOf(folded, projection, options),
      );
    }
    const prefix = first.slice(0, 3);
    expect(await past.count(projection, prefix)).toBe(await folded.count(projection, prefix));
    for (const key of [first, keys.at(-1) ?? 'y', 'absent']) {
      expect(plain(await past.get(projection, key))).toEqual(
        plain(await folded.get(projection, key)),
      );
    }
  }
};

const contentsOf = async (
  reader: DocumentReader,
  projection: AnyProjection,
  options: ListOptions,
): Promise<unknown> => {
  const listed: Listed<object> = await reader.list(projection, options);
  return plain({
    documents: listed.documents.map(({ key, document }) => ({ key, document })),
    position: listed.position,
  });
};

/** As a store gives it back. */
const plain = (value: object): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part)),
  ) as unknown;
