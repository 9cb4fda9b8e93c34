import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StaleRevisionError } from '../event-store.errors.js';
import { counted, event, follow, numbersOf, readLog, readStream } from '../event-store.fixture.js';
import { type EventStore } from '../event-store.port.js';
import { openServedTestLog, type ServedTestLog } from '../grpc/served-log.fixture.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

describe('several installations on one server', () => {
  let served: ServedTestLog;
  let [one, other, plain]: EventStore[] = [];

  const open = (prefix: string) =>
    openEventStoreDb({ url: `kurrentdb://${served.address}?tls=false`, prefix });

  const stores = (): readonly [EventStore, EventStore, EventStore] => {
    if (!one || !other || !plain) throw new Error('not open');
    return [one, other, plain];
  };

  beforeEach(async () => {
    served = await openServedTestLog();
    [one, other, plain] = await Promise.all(['one', 'on', ''].map(open));
  });

  afterEach(async () => {
    await Promise.all(stores().map((store) => store.close()));
    await served.dispose();
  });

  const fill = async (): Promise<void> => {
    for (const [index, store] of stores().entries()) {
      await store.append('account-7', counted(2, 10 * index), 'no-stream');
      await store.append('job-1', [event('Started', { number: 10 * index + 5 })], 'no-stream');
    }
  };

  it('have streams of the same names, and each sees its own alone', async () => {
    await fill();
    for (const [index, store] of stores().entries()) {
      const numbers = [0, 1, 5].map((number) => 10 * index + number);
      const events = await readLog(store);
      expect(numbersOf(events)).toEqual(numbers);
      expect(events.map(({ stream }) => stream)).toEqual(['account-7', 'account-7', 'job-1']);
      expect(numbersOf(await readStream(store, 'account-7'))).toEqual(numbers.slice(0, 2));
    }
  });

  it('filter their own streams and types', async () => {
    await fill();
    for (const [index, store] of stores().entries()) {
      const ofStream = { by: 'stream', prefixes: ['account-'] } as const;
      const ofType = { by: 'type', prefixes: ['Started'] } as const;
      expect(numbersOf(await readLog(store, { filter: ofStream }))).toEqual(
        [0, 1].map((number) => 10 * index + number),
      );
      expect(numbersOf(await readLog(store, { filter: ofType }))).toEqual([10 * index + 5]);
    }
  });

  it('follow their own events, and pass over the events of others', async () => {
    const [first, second] = stores();
    const following = follow(first, {}, (events) => events.length === 3);
    await fill();
    expect(numbersOf((await following).events)).toEqual([0, 1, 5]);
    const head = await second.head();
    const { batches } = await follow(second, {}, (_, { position }) => position >= head);
    expect(numbersOf(batches.flatMap(({ events }) => events))).toEqual([10, 11, 15]);
  });

  it('are refused by the names that they know', async () => {
    await fill();
    const [first] = stores();
    const stale = first.append('account-7', counted(1), 'no-stream');
    await expect(stale).rejects.toThrow(StaleRevisionError);
    await expect(stale).rejects.toMatchObject({ stream: 'account-7', actual: 1n });
  });

  it('know a deleted stream by their own name for it', async () => {
    await fill();
    const [first, second] = stores();
    await served.faulty.tombstone('one:account-7');
    for (const attempt of [
      readStream(first, 'account-7'),
      first.append('account-7', counted(1), 1n),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'cut-stream', stream: 'account-7' });
    expect(await readStream(second, 'account-7')).toHaveLength(2);
  });

  it('have their prefix on the server', async () => {
    await fill();
    const names = (await readLog(served.direct)).map(({ stream }) => stream);
    expect([...new Set(names)]).toEqual([
      'one:account-7',
      'one:job-1',
      'on:account-7',
      'on:job-1',
      'account-7',
      'job-1',
    ]);
  });
});
