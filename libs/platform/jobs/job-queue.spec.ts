import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type HostSlots, JobQueue, type QueuedJob } from './job-queue.js';

const TYPE = 'knots';
const NOW = 1_000_000;

const ready = (accountId: string, n: number, more: Partial<QueuedJob> = {}): QueuedJob => ({
  jobId: `${accountId}-${n}`,
  type: TYPE,
  accountId,
  submittedAt: new Date(n * 1_000).toISOString(),
  state: { kind: 'ready', notBeforeMs: 0 },
  ...more,
});

const host = (name: string, free: number, type = TYPE): HostSlots => ({
  host: name,
  free: { [type]: free },
});

const queueOf = (jobs: readonly QueuedJob[], runningPerAccountMax = 100): JobQueue => {
  const queue = new JobQueue(() => runningPerAccountMax);
  for (const job of jobs) queue.put(job);
  return queue;
};

const idsOf = (placements: readonly { readonly jobId: string }[]): readonly string[] =>
  placements.map(({ jobId }) => jobId);

describe('the queue of jobs', () => {
  it('starts the jobs of an account in the order of their submission', () => {
    const queue = queueOf([ready('a', 3), ready('a', 1), ready('a', 2)]);
    expect(idsOf(queue.place([host('one', 2)], NOW))).toEqual(['a-1', 'a-2']);
    expect(idsOf(queue.place([host('one', 2)], NOW))).toEqual(['a-3']);
    expect(queue.place([host('one', 2)], NOW)).toEqual([]);
  });

  it('lets accounts take turns, however many jobs one of them has', () => {
    const many = Array.from({ length: 50 }, (_, n) => ready('a', n));
    const queue = queueOf([...many, ready('b', 60), ready('b', 61), ready('c', 70)]);
    const placed = idsOf(queue.place([host('one', 6)], NOW));
    expect(placed).toEqual(['a-0', 'b-60', 'c-70', 'a-1', 'b-61', 'a-2']);
  });

  it('continues with the next account where the last placing stopped', () => {
    const queue = queueOf([ready('a', 1), ready('a', 2), ready('b', 3), ready('b', 4)]);
    const placed = [1, 2, 3, 4].flatMap(() => idsOf(queue.place([host('one', 1)], NOW)));
    expect(placed).toEqual(['a-1', 'b-3', 'a-2', 'b-4']);
  });

  it('starts no more of one account than the type allows, and the others behind it', () => {
    const queue = queueOf([ready('a', 1), ready('a', 2), ready('a', 3), ready('b', 4)], 2);
    expect(idsOf(queue.place([host('one', 9)], NOW))).toEqual(['a-1', 'b-4', 'a-2']);
    expect(queue.place([host('one', 9)], NOW)).toEqual([]);
    queue.remove('a-1');
    expect(idsOf(queue.place([host('one', 9)], NOW))).toEqual(['a-3']);
  });

  it('counts jobs that run already', () => {
    const running = ready('a', 1, { state: { kind: 'running', host: 'one' } });
    const queue = queueOf([running, ready('a', 2)], 1);
    expect(queue.place([host('one', 9)], NOW)).toEqual([]);
  });

  it('gives a host what it asked for, and the next job to the host with the most room', () => {
    const queue = queueOf(Array.from({ length: 9 }, (_, n) => ready('a', n)));
    const placed = queue.place([host('one', 1), host('two', 3), host('three', 0)], NOW);
    expect(placed.map(({ host: name }) => name)).toEqual(['two', 'two', 'one', 'two']);
  });

  it('gives a host only types that it asked for', () => {
    const queue = queueOf([ready('a', 1)]);
    expect(queue.place([host('one', 5, 'nets')], NOW)).toEqual([]);
  });

  it('holds a job back until its time, and starts a later one meanwhile', () => {
    const later = ready('a', 1, { state: { kind: 'ready', notBeforeMs: NOW + 1 } });
    const queue = queueOf([later, ready('a', 2)]);
    expect(idsOf(queue.place([host('one', 5)], NOW))).toEqual(['a-2']);
    expect(idsOf(queue.place([host('one', 5)], NOW + 1))).toEqual(['a-1']);
  });

  it('starts no blocked job until it is ready', () => {
    const queue = queueOf([ready('a', 1, { state: { kind: 'blocked' } })]);
    expect(queue.place([host('one', 5)], NOW)).toEqual([]);
    queue.put(ready('a', 1));
    expect(idsOf(queue.place([host('one', 5)], NOW))).toEqual(['a-1']);
  });

  it('puts a job that lost its host in front of younger ones', () => {
    const queue = queueOf([ready('a', 1), ready('a', 2)]);
    queue.place([host('one', 1)], NOW);
    queue.put(ready('a', 1));
    expect(idsOf(queue.place([host('two', 1)], NOW))).toEqual(['a-1']);
  });

  it('starts nothing of a type that the process does not know', () => {
    expect(queueOf([ready('a', 1)], 0).place([host('one', 5)], NOW)).toEqual([]);
  });

  it('knows how many wait and run of each type, and since when', () => {
    const queue = queueOf([
      ready('a', 5),
      ready('a', 4),
      ready('b', 2, { state: { kind: 'blocked' } }),
      ready('b', 1, { state: { kind: 'running', host: 'one' } }),
    ]);
    const oldestSubmittedAt = new Date(2_000).toISOString();
    expect(queue.depths()).toEqual(
      new Map([[TYPE, { waiting: 3, running: 1, oldestSubmittedAt }]]),
    );
    for (const id of ['a-5', 'a-4', 'b-2', 'b-1']) queue.remove(id);
    const empty = { waiting: 0, running: 0, oldestSubmittedAt: null };
    expect(queue.depths()).toEqual(new Map([[TYPE, empty]]));
  });

  it('never exceeds a slot or an account, and leaves no room unused', () => {
    const jobs = fc.uniqueArray(
      fc.record({ account: fc.constantFrom('a', 'b', 'c'), n: fc.nat({ max: 40 }) }),
      { selector: ({ account, n }) => `${account}-${n}`, maxLength: 40 },
    );
    const hosts = fc.array(fc.nat({ max: 5 }), { maxLength: 4 });
    fc.assert(
      fc.property(jobs, hosts, fc.integer({ min: 1, max: 6 }), (submitted, free, max) => {
        const queue = queueOf(
          submitted.map(({ account, n }) => ready(account, n)),
          max,
        );
        const placed = queue.place(
          free.map((count, n) => host(`host-${n}`, count)),
          NOW,
        );
        const total = free.reduce((sum, count) => sum + count, 0);
        const startable = ['a', 'b', 'c']
          .map((name) => submitted.filter(({ account }) => account === name).length)
          .reduce((sum, count) => sum + Math.min(count, max), 0);
        expect(placed).toHaveLength(Math.min(total, startable));
        expect(new Set(idsOf(placed)).size).toBe(placed.length);
        free.forEach((count, n) => {
          const ofHost = placed.filter(({ host: name }) => name === `host-${n}`);
          expect(ofHost.length).toBeLessThanOrEqual(count);
        });
      }),
    );
  });
});
