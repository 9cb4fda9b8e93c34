import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { counted, follow, readLog } from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import {
  disguised,
  FOREIGN_STREAMS,
  isForeign,
} from '#platform/event-store/grpc/foreign-events.fixture.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { logRootOf } from './log-root.js';
import { TreeCheck } from './tree-check.js';
import { TreeKeeper } from './tree-keeper.js';
import { TreeReader } from './tree-reader.js';

describe('the tree of a log that other programs write', () => {
  let served: ServedTestLog;
  let log: EventStore;
  let readStore: FaultyReadStore;

  beforeEach(async () => {
    served = await openServedTestLog();
    served.faulty.disguise = disguised;
    log = await openEventStoreDb({ url: `kurrentdb://${served.address}?tls=false` });
    readStore = new FaultyReadStore();
  });

  afterEach(async () => {
    await log.close();
    await served.dispose();
  });

  const appendAmong = async (count: number): Promise<void> => {
    await log.append('account-ada', counted(count), 'any');
    for (const name of FOREIGN_STREAMS) {
      await served.direct.append(name, counted(70), 'any');
      await log.append('account-bob', counted(1), 'any');
    }
  };

  const keep = async (): Promise<void> => {
    const keeper = new TreeKeeper(readStore);
    const after = (await keeper.checkpoint()) ?? 0n;
    await follow(log, { after }, async (_, batch) => {
      await keeper.handle(batch);
      return batch.caughtUp;
    });
  };

  const check = async () => new TreeCheck(log, readStore).check({ upTo: await log.head() });

  it('has leaves of the events of Quipu alone', async () => {
    await appendAmong(5);
    await keep();
    const size = 5 + FOREIGN_STREAMS.length;
    expect(await readLog(log)).toHaveLength(size);
    const reader = new TreeReader(readStore);
    expect((await reader.extent()).size).toBe(size);
    expect((await logRootOf(log)).root).toEqual(await reader.root(size));
    expect(await check()).toMatchObject({ events: size, leaves: size, damaged: [] });
  });

  it('is whole after a scavenge of the others', async () => {
    await appendAmong(300);
    await keep();
    const before = await check();
    served.faulty.disguise = (event) => (isForeign(event) ? null : event);
    expect(await check()).toEqual(before);
    const size = 300 + FOREIGN_STREAMS.length;
    expect(before).toMatchObject({ leaves: size, damaged: [], damagedTiles: [] });
  });

  it('shows an event of Quipu that is gone', async () => {
    await appendAmong(3);
    await keep();
    served.faulty.disguise = (event) =>
      event.stream === 'account-ada' && event.revision === 1n ? null : disguised(event);
    expect((await check()).damaged).toEqual([
      expect.objectContaining({ position: 2n, reason: 'it is missing' }),
    ]);
  });

  it('is found behind other programs’ events, without a request for each', async () => {
    await served.direct.append('foreign-list', counted(1_000), 'any');
    await log.append('account-ada', counted(2), 'any');
    served.faulty.pages = 0;
    expect(await readLog(log, { maxCount: 1 })).toMatchObject([{ stream: 'account-ada' }]);
    expect(served.faulty.pages).toBeLessThan(20);
  });
});
