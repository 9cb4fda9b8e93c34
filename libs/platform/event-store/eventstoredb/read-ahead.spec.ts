import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { counted, numbersOf, readLog } from '../event-store.fixture.js';
import { Laboratory } from './laboratory.fixture.js';

const EVENTS = 2_000;

describe('a read of the whole log', () => {
  const laboratory = new Laboratory();

  const filled = async () => {
    const log = await laboratory.openLog();
    await log.direct.append('job-1', counted(1_000), 'no-stream');
    await log.direct.append('job-2', counted(1_000, 1_000), 'no-stream');
    const store = await laboratory.openStore(`kurrentdb://${log.address}?tls=false`);
    return { log, store };
  };

  it('reads one page ahead of its consumer, and no more', async () => {
    const { log, store } = await filled();
    const reading = store.readAll()[Symbol.asyncIterator]();
    const first = await reading.next();
    expect(first.done).toBe(false);
    const after = log.faulty.pages;
    await eventually(() => Promise.resolve(log.faulty.pages > after));
    const ahead = log.faulty.pages;
    await reading.return?.();
    expect(log.faulty.pages).toBe(ahead);
    expect(numbersOf(await readLog(store))).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
  });

  it('reads nothing ahead where it is asked for few', async () => {
    const { log, store } = await filled();
    await store.head();
    log.faulty.pages = 0;
    expect(await readLog(store, { maxCount: 3 })).toHaveLength(3);
    const pages = log.faulty.pages;
    expect(await readLog(store, { maxCount: 0 })).toEqual([]);
    expect(log.faulty.pages).toBe(pages);
  });

  it('ends with the store', async () => {
    const { store } = await filled();
    const reading = store.readAll()[Symbol.asyncIterator]();
    await reading.next();
    await reading.next();
    await store.close();
    await expect(readLog(store)).rejects.toThrow('the event store is closed');
    await reading.return?.();
  });
});
