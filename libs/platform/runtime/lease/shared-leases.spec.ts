import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { leaseEvents } from '#events/platform/lease.events.js';
import { systemClock } from '#platform/kernel/clock.js';
import { EventCodec } from '../commands/event-codec.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { CutOff } from './cut-off.fake.js';
import { type LeadershipTerm, type ReaderLeases } from './leadership.port.js';
import { groupOf, READER_GROUPS, type ReaderGroup } from './reader-groups.js';
import { readerLeases } from './reader-leases.js';

const LEASE = { ttlMs: 400, renewMs: 40, election: { kind: 'log' } } as const;

describe('leases of all groups of readers', () => {
  const running: ReaderLeases[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((leases) => leases.stop()));
  });

  const openFleet = () => {
    const log = new MemoryLog();
    const shared = new FaultyReadStore();
    const order: string[] = [];
    const join = (instance: string) => {
      const readStore = new CutOff(shared);
      const engines = {
        eventStore: new FaultyEventStore(log),
        readStore,
        clock: systemClock,
        logger: pino({ enabled: false }),
      };
      const runtime = { engines, codec: new EventCodec(leaseEvents) };
      const leases = readerLeases(runtime as never, { instance, ...LEASE });
      const terms = new Map<ReaderGroup, LeadershipTerm>();
      leases.start((group) => ({
        begin: (term) => {
          order.push(`${instance} begins ${group}`);
          terms.set(group, term);
          return Promise.resolve();
        },
        end: () => {
          order.push(`${instance} ends ${group}`);
          terms.delete(group);
          return Promise.resolve();
        },
      }));
      running.push(leases);
      return { leases, terms, readStore, held: () => [...terms.keys()].toSorted() };
    };
    return { log, order, join };
  };

  type Process = ReturnType<ReturnType<typeof openFleet>['join']>;

  const heldBy = (...processes: readonly Process[]) =>
    processes.map(({ terms }) => terms.size).toSorted();

  /** Each group has one holder at a time, by the order of beginnings and ends. */
  const expectOneHolderEach = (order: readonly string[]): void => {
    const holders = new Map<string, string>();
    for (const line of order) {
      const [instance = '', verb, group = ''] = line.split(' ');
      if (verb === 'ends') holders.delete(group);
      else {
        expect(holders.get(group)).toBeUndefined();
        holders.set(group, instance);
      }
    }
  };

  it('are all of one process that is alone', async () => {
    const { join } = openFleet();
    const one = join('one');
    await eventually(() => one.terms.size === READER_GROUPS.length);
    expect(one.leases.status().map(({ group, role, holder }) => ({ group, role, holder }))).toEqual(
      READER_GROUPS.map((group) => ({ group, role: 'leader', holder: 'one' })),
    );
  });

  it('are shared with each process that joins, and each group has one holder', async () => {
    const { order, join } = openFleet();
    const one = join('one');
    await eventually(() => one.terms.size === 4);
    const two = join('two');
    await eventually(() => heldBy(one, two).join() === '2,2');
    const three = join('three');
    await eventually(() => heldBy(one, two, three).join() === '1,1,2');
    const four = join('four');
    await eventually(() => heldBy(one, two, three, four).join() === '1,1,1,1');
    expectOneHolderEach(order);
    // A process that runs the reactions keeps them while it has others to give.
    expect(one.held()).toEqual(['reactions']);
    const { length } = order;
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE.ttlMs));
    expect(order).toHaveLength(length);
  });

  it('pass to the other processes, which keep their own, when a process is silent', async () => {
    const { order, join } = openFleet();
    const one = join('one');
    await eventually(() => one.terms.size === 4);
    const two = join('two');
    await eventually(() => heldBy(one, two).join() === '2,2');
    const kept = new Map(two.terms);
    const { length } = order;
    one.readStore.isAway = true;
    await eventually(() => two.terms.size === 4);
    for (const [group, term] of kept) expect(two.terms.get(group)).toBe(term);
    expect(order.slice(length).filter((line) => line.startsWith('two ends'))).toEqual([]);
    for (const term of one.terms.values()) expect(term.isHeld()).toBe(false);
    one.readStore.isAway = false;
    await eventually(() => heldBy(one, two).join() === '2,2');
  });

  it('pass on at once when their process stops', async () => {
    const { order, join } = openFleet();
    const one = join('one');
    await eventually(() => one.terms.size === 4);
    const two = join('two');
    await eventually(() => heldBy(one, two).join() === '2,2');
    const stoppedAt = performance.now();
    await one.leases.stop();
    await eventually(() => two.terms.size === 4);
    expect(performance.now() - stoppedAt).toBeLessThan(LEASE.ttlMs);
    expectOneHolderEach(order);
  });

  it('are renewed together, so that the read store gathers the writes', async () => {
    const { join } = openFleet();
    const one = join('one');
    await eventually(() => one.terms.size === 4);
    const turns: number[] = [];
    const commit = one.readStore.commit.bind(one.readStore);
    let isTurn = false;
    one.readStore.commit = (next) => {
      if (!isTurn) turns.push(0);
      isTurn = true;
      setImmediate(() => (isTurn = false));
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
      return commit(next);
    };
    // A machine that stops this process at the end of a period divides a turn.
    await eventually(() => turns.slice(-4).filter((writes) => writes === 4).length >= 3);
  });
});

describe('the group of a projection', () => {
  it('depends on its name alone', () => {
    const names = ['account-overview', 'api-keys', 'invoices', 'rig-statistics'];
    expect(names.map(groupOf)).toEqual([
      'projections-3',
      'projections-1',
      'projections-3',
      'projections-1',
    ]);
  });
});
