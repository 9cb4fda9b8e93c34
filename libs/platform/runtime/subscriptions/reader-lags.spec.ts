import { describe, expect, it } from '@jest/globals';
import { FaultyEventStore } from '../faulty-stores.fake.js';
import { ReaderLags } from './reader-lags.js';

const METADATA = { version: 1, correlationId: 'a', causationId: 'a', requestId: 'a', actor: 'a' };

/** A log of these types; the event at position 3 n + 1 was recorded in the minute n. */
const open = (types: readonly string[]) => {
  const store = new FaultyEventStore();
  const add = (type: string): void => {
    const at = store.log.events.length;
    const event = { id: `${at}`, type, data: {}, metadata: METADATA, stream: 'a-1' };
    const recordedAt = `minute ${at}`;
    store.log.events.push({
      ...event,
      revision: BigInt(at),
      position: BigInt(at * 3 + 1),
      recordedAt,
    });
  };
  types.forEach(add);
  return { store, add, lags: new ReaderLags(store) };
};

const reader = (name: string, position: bigint, ...types: readonly string[]) => {
  return { name, position, types };
};

describe('the lags of readers', () => {
  it('count from the first unread event of each, found by one read', async () => {
    const { store, lags } = open(['Added', 'Taken', 'Added', 'Other']);
    const found = await lags.of([
      reader('added', 1n, 'Added'),
      reader('taken', 1n, 'Taken'),
      reader('idle', 0n, 'Cleared'),
      reader('prefix', 0n, 'Add'),
      reader('there', 10n, 'Other'),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      added: { positions: 9n, since: 'minute 2' },
      taken: { positions: 9n, since: 'minute 1' },
      idle: { positions: 0n, since: null },
      prefix: { positions: 0n, since: null },
      there: { positions: 0n, since: null },
    });
    expect(store.reads.calls).toBe(1);
  });

  it('do not search a part of the log twice', async () => {
    const { store, add, lags } = open(['Added', 'Added']);
    const idle = reader('idle', 0n, 'Cleared');
    await lags.of([idle]);
    await lags.of([idle]);
    expect(store.reads.calls).toBe(1);
    add('Cleared');
    expect((await lags.of([idle])).get('idle')).toEqual({ positions: 7n, since: 'minute 2' });
  });

  it('of live readers come from the events that wait for them, and need no read', async () => {
    const { store, lags } = open(['Added', 'Taken', 'Added', 'Other']);
    const live = (name: string, since: string | null) => ({
      ...reader(name, 1n, 'Added'),
      offered: { position: 10n, since },
    });
    const found = await lags.of([live('waiting', 'minute 2'), live('idle', null)]);
    expect(Object.fromEntries(found)).toEqual({
      waiting: { positions: 9n, since: 'minute 2' },
      idle: { positions: 0n, since: null },
    });
    expect(store.reads.calls).toBe(0);
  });

  it('of live readers count the events that were not offered yet', async () => {
    const { lags } = open(['Added', 'Taken', 'Added']);
    const live = { ...reader('live', 1n, 'Added'), offered: { position: 4n, since: null } };
    expect((await lags.of([live])).get('live')).toEqual({ positions: 6n, since: 'minute 2' });
  });

  it('of readers far apart cost few events of the log for each', async () => {
    const { store, lags } = open(Array.from({ length: 5_000 }, () => 'Added'));
    const far = Array.from({ length: 20 }, (_, at) => reader(`far ${at}`, 6_000n, 'Added'));
    const found = await lags.of([reader('first', 0n, 'Added'), ...far]);
    expect([...found.values()].map(({ since }) => since)).toEqual([
      'minute 0',
      ...far.map(() => 'minute 2000'),
    ]);
    expect(store.eventsRead).toBeLessThan(2_000);
  });

  it('are found behind the events that the readers share', async () => {
    const { lags } = open([...Array.from({ length: 1_500 }, () => 'Added'), 'Taken']);
    const found = await lags.of([
      reader('taken', 0n, 'Taken', 'Added'),
      reader('rare', 0n, 'Taken'),
      reader('idle', 0n, 'Cleared'),
    ]);
    expect([...found.values()].map(({ since }) => since)).toEqual([
      'minute 0',
      'minute 1500',
      null,
    ]);
  });
});
