import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { leaseEvents } from '#events/platform/lease.events.js';
import { systemClock } from '#platform/kernel/clock.js';
import { type ReadStoreCommit } from '#platform/read-store/read-store.port.js';
import { CommandRunner } from '../commands/command-runner.js';
import { EventCodec } from '../commands/event-codec.js';
import { FaultyEventStore, FaultyReadStore, MemoryLog } from '../faulty-stores.fake.js';
import { type TermHandler, type LeadershipTerm } from './leadership.port.js';
import { anyContext } from '../stock.fixture.js';
import { CutOff } from './cut-off.fake.js';
import { leaseDecider } from './lease.decider.js';
import { heartbeatsOf, leaseStreamOf, type ReaderGroup } from './reader-groups.js';
import { LeaseKeeper } from './lease-keeper.js';
import { StoredRenewals } from './stored-renewals.js';

const TTL_MS = 400;
const RENEW_MS = 50;

/** The terms of one process, and the current one. */
class Chronicle implements TermHandler {
  term: LeadershipTerm | undefined;
  readonly tokens: bigint[] = [];
  rejectsBegin = false;

  /** @param order the terms of all processes as they begin and end */
  constructor(
    private readonly instance: string,
    private readonly order: string[],
  ) {}

  begin(term: LeadershipTerm): Promise<void> {
    this.tokens.push(term.token);
    this.order.push(`${this.instance} begins`);
    if (this.rejectsBegin) return Promise.reject(new Error('not now'));
    this.term = term;
    return Promise.resolve();
  }

  end(): Promise<void> {
    this.term = undefined;
    this.order.push(`${this.instance} ends`);
    return Promise.resolve();
  }
}

/** Its commits wait until a test lets them land, once it holds them back. */
class HeldBack extends FaultyReadStore {
  isHeldBack = false;
  readonly waiting: (() => void)[] = [];

  override async commit(commit: ReadStoreCommit): Promise<void> {
    if (this.isHeldBack) await new Promise<void>((resolve) => this.waiting.push(resolve));
    await super.commit(commit);
  }
}

const GROUPS: readonly ReaderGroup[] = ['reactions', 'projections-2'];

describe.each(GROUPS)('the keeper of the lease of %s', (group) => {
  const heartbeats = heartbeatsOf(group);
  const running: LeaseKeeper[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((keeper) => keeper.stop()));
  });

  const openFleet = () => {
    const log = new MemoryLog();
    const shared = new FaultyReadStore();
    const order: string[] = [];
    const join = (
      instance: string,
      readStore = shared,
      nowMs?: () => number,
      times = { ttlMs: TTL_MS, renewMs: RENEW_MS },
    ) => {
      const eventStore = new FaultyEventStore(log);
      const codec = new EventCodec(leaseEvents).for(leaseEvents);
      const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec });
      const settings = { instance, ...times };
      const logger = pino({ enabled: false });
      const renewals = new StoredRenewals(readStore, heartbeats, times.ttlMs, nowMs);
      const keeper = new LeaseKeeper(group, runner, renewals, settings, systemClock, logger, nowMs);
      const handler = new Chronicle(instance, order);
      running.push(keeper);
      const beforeAppend = (act: () => Promise<void>) => (eventStore.beforeAppend = act);
      return { keeper, handler, readStore, beforeAppend, start: () => keeper.start(handler) };
    };
    return { log, shared, order, join };
  };

  it('takes a free lease, and keeps it for longer than its duration', async () => {
    const { log, shared, join } = openFleet();
    const one = join('one');
    one.start();
    await eventually(() => one.handler.term !== undefined);
    await sleep(2 * TTL_MS);
    expect(one.handler.term?.isHeld()).toBe(true);
    expect(log.events.map(({ type }) => type)).toEqual(['LeaseTaken']);
    expect(await shared.checkpoint(heartbeats)).toBeGreaterThan(4n);
    expect(one.keeper.status()).toEqual({
      group,
      role: 'leader',
      instance: 'one',
      token: '1',
      holder: 'one',
      failure: null,
      election: 'log',
      candidates: null,
    });
  });

  it('lets one of several handler at a time, and the next as soon as that one stops', async () => {
    const { log, join } = openFleet();
    const fleet = ['one', 'two', 'three'].map((name) => join(name));
    for (const { start } of fleet) start();
    const reigning = () => fleet.filter(({ handler }) => handler.term !== undefined);
    await eventually(() => reigning().length === 1);
    await sleep(TTL_MS);
    const [first] = reigning();
    expect(reigning()).toHaveLength(1);
    const stoppedAt = performance.now();
    await first?.keeper.stop();
    await eventually(() => reigning().length === 1);
    expect(performance.now() - stoppedAt).toBeLessThan(TTL_MS);
    expect(reigning()[0]).not.toBe(first);
    expect(log.events.map(({ type }) => type)).toEqual([
      'LeaseTaken',
      'LeaseReleased',
      'LeaseTaken',
    ]);
  });

  it('stops without waiting for its next renewal', async () => {
    const hoursMs = 3_600_000;
    const { join } = openFleet();
    const one = join('one', undefined, undefined, { ttlMs: 3 * hoursMs, renewMs: hoursMs });
    one.start();
    await eventually(() => one.handler.term !== undefined);
    await one.keeper.stop();
    expect(one.handler.term).toBeUndefined();
  });

  it('takes over from a holder that cannot renew any more, which knows it first', async () => {
    const { log, shared, join } = openFleet();
    const one = join('one', new CutOff(shared));
    const two = join('two');
    one.start();
    await eventually(() => one.handler.term !== undefined);
    two.start();
    await sleep(TTL_MS);
    expect(two.handler.tokens).toEqual([]);
    one.readStore.isAway = true;
    const silentFrom = performance.now();
    await eventually(() => two.handler.term !== undefined);
    expect(one.handler.term?.isHeld()).toBe(false);
    expect(performance.now() - silentFrom).toBeLessThan(3 * TTL_MS);
    expect(log.events.at(-1)?.data).toMatchObject({ holder: 'two', token: 2 });
    one.readStore.isAway = false;
    await eventually(() => one.handler.term === undefined);
    expect(two.handler.term?.isHeld()).toBe(true);
  });

  it('continues under the same token when its lease ran out and no other took it', async () => {
    const { log, order, shared, join } = openFleet();
    const one = join('one', new CutOff(shared));
    one.start();
    await eventually(() => one.handler.term !== undefined);
    const { term } = one.handler;
    one.readStore.isAway = true;
    await eventually(() => term?.isHeld() === false);
    const resumed = term?.held();
    await sleep(2 * TTL_MS);
    one.readStore.isAway = false;
    expect(await resumed).toBe(true);
    expect(term?.isHeld()).toBe(true);
    expect(order).toEqual(['one begins']);
    expect(log.events.map(({ type }) => type)).toEqual(['LeaseTaken']);
  });

  it('waits for the time of a holder that renewed after it was found silent', async () => {
    const { log, shared, join } = openFleet();
    const one = join('one', new CutOff(shared));
    one.start();
    await eventually(() => one.handler.term !== undefined);
    one.readStore.isAway = true;
    const two = join('two');
    let renewedAt = 0;
    two.beforeAppend(() => {
      // The renewal of the first lands just before the second fences it off.
      renewedAt = performance.now();
      const beaten = { name: heartbeats, position: 1_000n, fence: 1n };
      return shared.commit({ writes: [], checkpoint: beaten });
    });
    two.start();
    await eventually(() => log.events.length === 2);
    await eventually(() => two.handler.term !== undefined);
    expect(performance.now() - renewedAt).toBeGreaterThanOrEqual(TTL_MS * 0.8 - 1);
  });

  it('does not let in before the holder has been silent for long enough', async () => {
    const { join, log, shared } = openFleet();
    const codec = new EventCodec(leaseEvents).for(leaseEvents);
    const eventStore = new FaultyEventStore(log);
    const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec });
    const data = {
      lease: group,
      holder: 'gone',
      over: 0,
      takenAt: '2026-01-01T00:00:00.000Z',
    } as const;
    await runner.run(leaseStreamOf(group), { type: 'TakeLease', data }, anyContext());
    await shared.commit({ writes: [], checkpoint: { name: heartbeats, position: 7n, fence: 1n } });
    const two = join('two');
    const startedAt = performance.now();
    two.start();
    await eventually(() => two.handler.term !== undefined);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(TTL_MS);
    expect(log.events.at(-1)?.data).toMatchObject({
      token: 2,
      from: { holder: 'gone', because: 'silent' },
    });
  });

  it('does not take a slow store, or one that was away, for a silent holder', async () => {
    const { shared, join } = openFleet();
    const one = join('one', new CutOff(shared));
    one.start();
    await eventually(() => one.handler.term !== undefined);
    // No renewal of the first arrives from here on.
    one.readStore.isAway = true;
    let atMs = 0;
    const readStore = new CutOff(shared);
    const renewals = new StoredRenewals(readStore, heartbeats, TTL_MS, () => atMs);
    const state = { token: 1, holder: 'one', released: false };
    const looks = async (everyMs: number) => {
      for (let count = 1; ; count += 1) {
        if (await renewals.mayTake(state)) return count;
        atMs += everyMs;
      }
    };
    expect(await looks(TTL_MS / 4)).toBe(5);
    const slow = new StoredRenewals(readStore, heartbeats, TTL_MS, () => atMs);
    expect(await slow.mayTake(state)).toBe(false);
    atMs += 5 * TTL_MS;
    expect(await slow.mayTake(state)).toBe(false);
    readStore.isAway = true;
    await expect(slow.mayTake(state)).rejects.toThrow();
    readStore.isAway = false;
    atMs += 5 * TTL_MS;
    expect(await slow.mayTake(state)).toBe(false);
  });

  it('finds by the clock that its lease ran out while it stood still, and renews it', async () => {
    const { join } = openFleet();
    let stoodStillMs = 0;
    const one = join('one', undefined, () => performance.now() + stoodStillMs);
    one.start();
    await eventually(() => one.handler.term !== undefined);
    const { term } = one.handler;
    stoodStillMs = TTL_MS;
    expect(term?.isHeld()).toBe(false);
    expect(await term?.held()).toBe(true);
    expect(one.handler.tokens).toEqual([1n]);
  });

  it('holds the lease for a fifth less than others wait for a renewal', async () => {
    const { join } = openFleet();
    let atMs = 1_000;
    const one = join('one', undefined, () => atMs);
    one.start();
    await eventually(() => one.handler.term !== undefined);
    // No renewal comes between these lines.
    atMs = 1_000 + TTL_MS * 0.8 - 1;
    expect(one.handler.term?.isHeld()).toBe(true);
    atMs += 1;
    expect(one.handler.term?.isHeld()).toBe(false);
  });

  it('counts a renewal from when it began, not from when it landed', async () => {
    const { join } = openFleet();
    const readStore = new HeldBack();
    let atMs = 1_000;
    const one = join('one', readStore, () => atMs);
    one.start();
    await eventually(() => one.handler.term !== undefined);
    const { term } = one.handler;
    readStore.isHeldBack = true;
    atMs = 1_050;
    await eventually(() => readStore.waiting.length === 1);
    atMs = 1_150;
    readStore.waiting.shift()?.();
    // The next renewal never lands.
    await eventually(() => readStore.waiting.length === 1);
    atMs = 1_050 + TTL_MS * 0.8 - 1;
    expect(term?.isHeld()).toBe(true);
    atMs += 1;
    expect(term?.isHeld()).toBe(false);
    readStore.isHeldBack = false;
    readStore.waiting.shift()?.();
  });

  it('ends its handler when a later holder has fenced it off', async () => {
    const { join, shared } = openFleet();
    const one = join('one');
    one.start();
    await eventually(() => one.handler.term !== undefined);
    const { term } = one.handler;
    const checkpoint = { name: heartbeats, position: 1_000n, fence: 9n };
    await shared.commit({ writes: [], checkpoint });
    await eventually(() => term?.isHeld() === false);
  });

  it('gives the lease back when its handler cannot begin, and tries again', async () => {
    const { join, log } = openFleet();
    const one = join('one');
    one.handler.rejectsBegin = true;
    one.start();
    await eventually(() => one.keeper.status().failure === 'not now');
    one.handler.rejectsBegin = false;
    await eventually(() => one.handler.term !== undefined);
    expect(one.keeper.status().failure).toBeNull();
    expect(log.events.slice(0, 3).map(({ type }) => type)).toEqual([
      'LeaseTaken',
      'LeaseReleased',
      'LeaseTaken',
    ]);
  });

  it('leaves a group that it gives up to others, for the time of a lease', async () => {
    const { order, join } = openFleet();
    const one = join('one');
    one.start();
    await eventually(() => one.handler.term !== undefined);
    const two = join('two');
    two.start();
    await sleep(RENEW_MS);
    one.keeper.giveUp();
    await eventually(() => two.handler.term !== undefined);
    expect(order).toEqual(['one begins', 'one ends', 'two begins']);
    await two.keeper.stop();
    await eventually(() => one.handler.term !== undefined);
  });

  it('does not take a lease under which it could not write', async () => {
    const { join, log, shared } = openFleet();
    shared.isAway = true;
    const one = join('one');
    one.start();
    await eventually(() => one.keeper.status().failure !== null);
    expect(log.events).toEqual([]);
    shared.isAway = false;
    await eventually(() => one.handler.term !== undefined);
  });
});
