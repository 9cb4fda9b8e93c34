import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { counted, follow, readLog } from '#platform/event-store/event-store.fixture.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { TreeKeeper } from './tree-keeper.js';
import { TreePlaces } from './tree-places.js';
import { TreeReader } from './tree-reader.js';

const WAIT_MS = 100;

describe('places in a log whose positions have gaps', () => {
  let served: ServedTestLog;
  let log: EventStore;
  let readStore: FaultyReadStore;
  let places: TreePlaces;

  beforeEach(async () => {
    served = await openServedTestLog();
    served.faulty.disguise = (event) =>
      event.stream.startsWith('foreign-') ? { ...event, data: [1] } : event;
    log = await openEventStoreDb({ url: `kurrentdb://${served.address}?tls=false` });
    readStore = new FaultyReadStore();
    places = new TreePlaces(new TreeReader(readStore), log, WAIT_MS);
  });

  afterEach(async () => {
    await log.close();
    await served.dispose();
  });

  const keep = async (): Promise<void> => {
    const keeper = new TreeKeeper(readStore);
    const after = (await keeper.checkpoint()) ?? 0n;
    await follow(log, { after }, async (_, batch) => {
      await keeper.handle(batch);
      return batch.caughtUp;
    });
  };

  const foreign = (count: number) => served.direct.append('foreign-1', counted(count), 'any');
  const own = (count: number) => log.append('account-ada', counted(count), 'any');

  it('count the events of Quipu, and are found again', async () => {
    await foreign(3);
    await own(2);
    await foreign(4);
    await own(300);
    await foreign(5);
    await keep();
    const events = await readLog(log);
    for (const [index, { position }] of events.entries()) {
      const size = BigInt(index + 1);
      expect(await places.sizeAt(position)).toBe(size);
      expect(await places.positionAt(size)).toBe(position);
    }
    expect([await places.sizeAt(0n), await places.positionAt(0n)]).toEqual([0n, 0n]);
    expect(await places.sizeAt(3n)).toBe(0n);
    expect(await places.sizeAt(7n)).toBe(2n);
    expect(await places.sizeAt(await log.head())).toBe(302n);
    expect(await places.positionAt(303n)).toBeUndefined();
  });

  it('wait for the tree, and say that it is behind', async () => {
    await own(2);
    await keep();
    const { position } = await own(1);
    expect(await places.sizeAt(position - 1n)).toBe(2n);
    expect(await places.positionAt(2n)).toBe(2n);
    await expect(places.sizeAt(position)).rejects.toThrow(PlaceUnknownError);
    await expect(places.positionAt(3n)).rejects.toThrow(PlaceUnknownError);
    const waiting = places.sizeAt(position);
    await keep();
    expect(await waiting).toBe(3n);
  });
});
