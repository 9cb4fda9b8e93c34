import { describe, expect, it } from '@jest/globals';
import { ContactScheduler, type Outbox, type Window } from './contact-scheduler.js';
import { emulatedLink, type LinkConditions } from './link-emulator.js';
import { ManualTimers } from './manual-timers.fixture.js';
import { REFUSE_REASONS } from './tcpcl.messages.js';
import { TcpclSession } from './tcpcl.session.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 26);
const CLEAR: LinkConditions = {
  ...{ lightMs: 8, bitsPerSecond: 1_000_000, loss: 0, random: () => 0.5, isOut: () => false },
};

/** A node that sends over emulated links to a satellite. */
const world = (windows: readonly Window[], conditions: Partial<LinkConditions> = {}) => {
  const timers = new ManualTimers(START);
  const waiting = new Map<string, Uint8Array>();
  const taken: { key: string; atMs: number }[] = [];
  const forwarded: { key: string; contact: string; atMs: number }[] = [];
  const links: { to: string; openedMs: number; endedMs?: number }[] = [];
  const failures: string[] = [];
  const refuses = new Set<string>();
  const terms = {
    ...{ keepaliveSec: 0, segmentMru: 65_536, transferMru: 1_000_000, tls: null, timers },
  };
  const take = (bundle: Uint8Array) => {
    const key = Buffer.from(bundle.subarray(0, 2)).toString();
    if (refuses.has(key)) return Promise.resolve(REFUSE_REASONS.noResources);
    taken.push({ key, atMs: timers.now() });
    return Promise.resolve(null);
  };
  const outbox: Outbox = {
    windows: (fromMs, untilMs) =>
      Promise.resolve(windows.filter(({ startMs, endMs }) => endMs > fromMs && startMs < untilMs)),
    connect: async (to) => {
      const [near, far] = emulatedLink({ ...CLEAR, ...conditions }, timers);
      const there = TcpclSession.open(far, { ...terms, node: to, role: 'passive', take });
      there.catch(() => undefined);
      const link = await TcpclSession.open(near, {
        ...{ ...terms, node: 'dtn://here/', role: 'active', take: () => Promise.resolve(null) },
      });
      const opened: (typeof links)[number] = { to, openedMs: timers.now() };
      links.push(opened);
      void link.ended.then(() => (opened.endedMs = timers.now()));
      return link;
    },
    next: (_, max, passedBy) =>
      Promise.resolve(
        [...waiting]
          .filter(([key]) => !passedBy.has(key))
          .slice(0, max)
          .map(([key, content]) => ({ key, content })),
      ),
    forwarded: (key, { id: contact }) => {
      waiting.delete(key);
      forwarded.push({ key, contact, atMs: timers.now() });
      return Promise.resolve();
    },
    failed: ({ id }) => failures.push(id),
  };
  const scheduler = new ContactScheduler(outbox, timers);
  const put = (key: string, bytes = 100): void => {
    waiting.set(key, Buffer.concat([Buffer.from(key), Buffer.alloc(bytes - 2)]));
    scheduler.wake();
  };
  return { timers, scheduler, put, taken, forwarded, links, failures, refuses };
};

const pass = (n: number, startMs: number, minutes = 10): Window => ({
  ...{ id: `pass-${n}`, to: 'dtn://sat/', startMs, endMs: startMs + minutes * 60_000 },
});

describe('the scheduler of contacts', () => {
  it('opens and closes the links of a day of passes, and sends in each what waits', async () => {
    const passes = [1, 3, 7, 12, 20].map((hour, n) => pass(n, START + hour * HOUR_MS));
    const { timers, scheduler, put, taken, forwarded, links } = world(passes);
    scheduler.start();
    put('a1');
    await timers.passTo(START + 2 * HOUR_MS);
    put('a2');
    put('a3');
    await timers.passTo(START + 12 * HOUR_MS + 60_000);
    // Within a pass.
    put('a4');
    await timers.passTo(START + DAY_MS);
    await scheduler.stop();
    expect(forwarded.map(({ key, contact }) => [key, contact])).toEqual([
      ['a1', 'pass-0'],
      ['a2', 'pass-1'],
      ['a3', 'pass-1'],
      ['a4', 'pass-3'],
    ]);
    expect(taken.map(({ key }) => key)).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(links).toHaveLength(passes.length);
    for (const [n, { openedMs, endedMs }] of links.entries()) {
      const { startMs, endMs } = passes[n] ?? pass(0, 0);
      expect(openedMs).toBeGreaterThanOrEqual(startMs);
      expect(endedMs).toBeGreaterThanOrEqual(endMs);
      expect(endedMs).toBeLessThan(endMs + 1_000);
    }
  });

  it('waits for the light time and the rate of a link', async () => {
    const slow = { lightMs: 1_300, bitsPerSecond: 8_000 };
    const { timers, scheduler, put, taken, forwarded } = world([pass(0, START)], slow);
    put('a1', 10_000);
    scheduler.start();
    await timers.passTo(START + HOUR_MS);
    await scheduler.stop();
    const [{ atMs } = { atMs: 0 }] = taken;
    // Two headers and two initiations cross before it; 10,000 bytes take 10 s.
    expect(atMs - START).toBeGreaterThanOrEqual(10_000 + 3 * 1_300);
    expect(atMs - START).toBeLessThan(10_000 + 8 * 1_300);
    expect(forwarded[0]?.atMs).toBeGreaterThanOrEqual(atMs + 1_300);
  });

  it('opens a broken link again while the contact lasts', async () => {
    const outageEnd = START + 90_000;
    const { timers, scheduler, put, forwarded, failures } = world([pass(0, START)], {
      isOut: (atMs) => atMs < outageEnd,
    });
    put('a1');
    scheduler.start();
    await timers.passTo(START + HOUR_MS);
    await scheduler.stop();
    expect(failures.length).toBeGreaterThan(2);
    expect(failures.length).toBeLessThan(20);
    expect(forwarded).toMatchObject([{ key: 'a1' }]);
    expect(forwarded[0]?.atMs).toBeGreaterThanOrEqual(outageEnd);
  });

  it('delivers every bundle over a link that loses chunks', async () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const lossy = { loss: 0.02, random };
    const { timers, scheduler, put, taken, forwarded, failures } = world([pass(0, START)], lossy);
    const keys = Array.from({ length: 40 }, (_, n) => String(n + 10));
    for (const key of keys) put(key, 5_000);
    scheduler.start();
    await timers.passTo(START + HOUR_MS);
    await scheduler.stop();
    expect(failures.length).toBeGreaterThan(0);
    expect(forwarded.map(({ key }) => key).toSorted()).toEqual(keys);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(keys.length);
  });

  it('keeps what the other node refuses for another contact', async () => {
    const passes = [pass(0, START), pass(1, START + HOUR_MS)];
    const { timers, scheduler, put, refuses, forwarded } = world(passes);
    refuses.add('a1');
    put('a1');
    put('a2');
    scheduler.start();
    await timers.passTo(START + HOUR_MS / 2);
    expect(forwarded.map(({ key }) => key)).toEqual(['a2']);
    refuses.clear();
    await timers.passTo(START + 2 * HOUR_MS);
    await scheduler.stop();
    expect(forwarded.map(({ key, contact }) => [key, contact])).toEqual([
      ['a2', 'pass-0'],
      ['a1', 'pass-1'],
    ]);
  });
});
