import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type JobEvent, JobId } from '#events/jobs/job.events.js';
import { REPORTS_GROUP, REPORTS_TOPIC } from '#platform/jobs/job.protocol.js';
import { type AnyJobType } from '#platform/jobs/job-type.js';
import { knotsType, onEngine } from '#platform/jobs/knots.job.fake.js';
import { type FleetHost, JobFleet } from './job-fleet.fixture.js';

/** The silence after which a host has lost its jobs, in specs of such hosts. */
const SHORT_MS = 400;
/** Keeps a slot until it is stopped. */
const LONG = { knots: 10_000, pauseMs: 5 };
/** Long enough to be interrupted. */
const SOME = { knots: 30, pauseMs: 10 };

describe('jobs on hosts', () => {
  let fleet: JobFleet;
  afterEach(() => fleet.close());

  const open = async (limits: Partial<AnyJobType['limits']> = {}): Promise<void> => {
    fleet = await new JobFleet(knotsType({ limits: { ...knotsType().limits, ...limits } })).start();
  };

  const completed = (jobId: string) => eventually(() => fleet.has(jobId, 'JobCompleted'));
  const tying = ({ knots }: FleetHost, count = 3) => eventually(() => knots.knots.length >= count);
  const dispatchesOf = (jobId: string) =>
    fleet.eventsOf(jobId).flatMap((event) => (event.type === 'JobDispatched' ? [event.data] : []));
  const only = (jobId: string, type: JobEvent['type']) =>
    fleet.eventsOf(jobId).filter((event) => event.type === type);

  it.each([
    ['over the bus', true],
    ['to the log', false],
  ])('run from the submission to the result, reporting %s', async (_, isWorker) => {
    await open();
    await fleet.dispatcher();
    const { knots } = fleet.host('host-1', isWorker);
    const jobId = await fleet.submit({ knots: 3 });
    await completed(jobId);
    const types = fleet.typesOf(jobId);
    expect(types.slice(0, 3)).toEqual(['JobSubmitted', 'JobDispatched', 'JobStarted']);
    expect(types.at(-1)).toBe('JobCompleted');
    expect(knots.attempts).toEqual([`${jobId}.1 from 0`]);
    const [done] = only(jobId, 'JobCompleted');
    expect(done?.data).toMatchObject({ attempt: 1, usage: [{ meter: 'knots', quantity: 3 }] });
  });

  it('wait for a host that asks, and are never hoarded by a slow one', async () => {
    await open();
    await fleet.dispatcher();
    const slow = fleet.host('slow', true, { runningPerHostMax: 1 });
    const long = await fleet.submit(LONG);
    await tying(slow);
    const fast = fleet.host('fast', true, { runningPerHostMax: 3 });
    const jobs = await Promise.all(Array.from({ length: 20 }, () => fleet.submit({ pauseMs: 3 })));
    await Promise.all(jobs.map(completed));
    expect(slow.knots.attempts).toEqual([`${long}.1 from 0`]);
    expect(fast.knots.attempts).toHaveLength(20);
    expect(fast.knots.runningMost).toBe(3);
    const onSlow = fleet
      .events()
      .filter(({ type, data }) => type === 'JobDispatched' && data.host === 'slow');
    expect(onSlow).toHaveLength(1);
  });

  it('of one account run at most in the number that the type allows', async () => {
    await open({ runningPerAccountMax: 2 });
    await fleet.dispatcher();
    const { knots } = fleet.host('host-1');
    const many = await Promise.all(
      Array.from({ length: 8 }, () => fleet.submit({ pauseMs: 10 }, { accountId: 'many' })),
    );
    await eventually(() => knots.running === 2);
    const other = await fleet.submit({}, { accountId: 'other' });
    let most = 0;
    await eventually(() => {
      most = Math.max(most, knots.running);
      return many.every((jobId) => fleet.has(jobId, 'JobCompleted'));
    });
    expect(most).toBeLessThanOrEqual(3);
    expect(fleet.has(other, 'JobCompleted')).toBe(true);
  });

  it('continue elsewhere when their host is silent, and end by the word of one host', async () => {
    await open();
    fleet.silenceMs = SHORT_MS;
    await fleet.dispatcher();
    const first = fleet.host('first');
    const jobId = await fleet.submit(SOME);
    await tying(first);
    await eventually(() => fleet.has(jobId, 'JobProgressed'));
    first.bus.isCut = true;
    const second = fleet.host('second');
    await tying(second);
    // The first host reaches the bus again, and continues an attempt that it has lost.
    first.bus.isCut = false;
    await completed(jobId);
    await sleep(200);
    expect(only(jobId, 'JobAttemptEnded')).toMatchObject([
      { data: { attempt: 1, reason: 'lost', code: 'host_lost' } },
    ]);
    expect(only(jobId, 'JobCompleted')).toMatchObject([{ data: { attempt: 2 } }]);
    expect(second.knots.attempts[0]).not.toBe(`${jobId}.2 from 0`);
    const lost = fleet.eventsOf(jobId).findIndex(({ type }) => type === 'JobAttemptEnded');
    const late = fleet.eventsOf(jobId).slice(lost + 1);
    expect(late.filter(({ data }) => 'attempt' in data && data.attempt === 1)).toEqual([]);
    await eventually(() => first.knots.running === 0);
  });

  it('stop on a host that lost them, which frees its slot', async () => {
    await open({ runningPerHostMax: 1 });
    fleet.silenceMs = SHORT_MS;
    await fleet.dispatcher();
    const first = fleet.host('first');
    const jobId = await fleet.submit(LONG);
    await tying(first);
    first.bus.isCut = true;
    await eventually(() => fleet.has(jobId, 'JobAttemptEnded'));
    first.bus.isCut = false;
    await eventually(() => dispatchesOf(jobId).length === 2);
    await eventually(() => first.knots.attempts.length === 2);
    expect(first.knots.running).toBe(1);
  });

  it('are not lost while the bus delivers nothing', async () => {
    await open();
    fleet.silenceMs = SHORT_MS;
    const { bus } = await fleet.dispatcher();
    const host = fleet.host('host-1');
    const jobId = await fleet.submit(LONG);
    await tying(host);
    bus.isCut = true;
    await sleep(3 * SHORT_MS);
    expect(fleet.has(jobId, 'JobAttemptEnded')).toBe(false);
    bus.isCut = false;
    await sleep(SHORT_MS / 2);
    expect(fleet.has(jobId, 'JobAttemptEnded')).toBe(false);
  });

  it('that are cancelled free their slot, and keep what they finished', async () => {
    await open({ runningPerHostMax: 1 });
    await fleet.dispatcher();
    const host = fleet.host('host-1');
    const jobId = await fleet.submit(LONG);
    await tying(host);
    const next = await fleet.submit();
    await fleet.cancel(jobId);
    await eventually(() => fleet.has(jobId, 'JobCancelled'));
    await completed(next);
    const [cancelled] = only(jobId, 'JobCancelled');
    const tied = host.knots.knots.filter((knot) => knot.startsWith(jobId)).length;
    expect(cancelled?.data).toMatchObject({ usage: [{ meter: 'knots', quantity: tied }] });
  });

  it('that wait are cancelled at once', async () => {
    await open();
    await fleet.dispatcher();
    const jobId = await fleet.submit();
    await fleet.cancel(jobId);
    fleet.host('host-1');
    const next = await fleet.submit();
    await completed(next);
    expect(fleet.typesOf(jobId)).toEqual(['JobSubmitted', 'JobCancelled']);
  });

  it('move to another host when theirs is drained, which is no failure', async () => {
    await open();
    await fleet.dispatcher();
    const first = fleet.host('first');
    const jobId = await fleet.submit(SOME);
    await tying(first);
    const draining = first.host.drain(20);
    const second = fleet.host('second');
    await draining;
    await completed(jobId);
    expect(only(jobId, 'JobAttemptEnded')).toMatchObject([{ data: { reason: 'drained' } }]);
    const tied = first.knots.knots.length;
    expect(second.knots.attempts).toEqual([`${jobId}.2 from ${tied}`]);
    expect([...first.knots.knots, ...second.knots.knots]).toHaveLength(SOME.knots);
  });

  it('are handed back that a drained host was given but has not taken', async () => {
    await open();
    const { bus } = await fleet.dispatcher();
    const first = fleet.host('first');
    bus.failing = 'quipu.jobs.work.';
    const jobId = await fleet.submit();
    await eventually(() => fleet.has(jobId, 'JobDispatched'));
    await first.host.drain(1_000);
    bus.failing = null;
    fleet.host('second');
    await completed(jobId);
    const ended = only(jobId, 'JobAttemptEnded');
    expect(ended).toMatchObject([{ data: { attempt: 1, reason: 'drained' } }]);
  });

  it('are lost with a host that ends before it reports their start', async () => {
    await open();
    fleet.silenceMs = SHORT_MS;
    const { bus } = await fleet.dispatcher();
    const first = fleet.host('first');
    bus.failing = 'quipu.jobs.work.';
    const jobId = await fleet.submit();
    await eventually(() => fleet.has(jobId, 'JobDispatched'));
    first.bus.isCut = true;
    bus.failing = null;
    fleet.host('second');
    await completed(jobId);
    expect(only(jobId, 'JobAttemptEnded')).toMatchObject([
      { data: { attempt: 1, reason: 'lost', code: 'host_lost' } },
    ]);
  });

  it('survive the dispatcher that ends between the dispatch and the assignment', async () => {
    await open();
    const first = await fleet.dispatcher();
    first.bus.failing = 'quipu.jobs.work.';
    fleet.host('host-1');
    const jobId = await fleet.submit();
    await eventually(() => fleet.has(jobId, 'JobDispatched'));
    await first.stop();
    await fleet.dispatcher();
    await completed(jobId);
    expect(dispatchesOf(jobId)).toHaveLength(1);
  });

  it('survive a dispatcher that ends again and again', async () => {
    await open();
    fleet.host('one');
    fleet.host('two', false);
    const jobs: JobId[] = [];
    for (let life = 0; life < 12; life += 1) {
      const dispatcher = await fleet.dispatcher(`leader-${life}`);
      jobs.push(await fleet.submit({ pauseMs: 2 }), await fleet.submit({ pauseMs: 2 }));
      await sleep(life * 6);
      await dispatcher.stop();
    }
    await fleet.dispatcher();
    await Promise.all(jobs.map(completed));
    for (const jobId of jobs) {
      expect(only(jobId, 'JobCompleted')).toHaveLength(1);
      expect(dispatchesOf(jobId).map(({ attempt }) => attempt)).toEqual([1]);
    }
  });

  it('are neither lost nor run twice while two dispatchers believe that they lead', async () => {
    await open();
    await fleet.dispatcher('leader-1');
    await fleet.dispatcher('leader-2');
    const hosts = [fleet.host('one'), fleet.host('two', false)];
    const jobs = await Promise.all(Array.from({ length: 30 }, () => fleet.submit({ pauseMs: 1 })));
    await Promise.all(jobs.map(completed));
    const attempts = hosts.flatMap(({ knots }) => knots.attempts);
    expect(attempts.toSorted()).toEqual(jobs.map((jobId) => `${jobId}.1 from 0`).toSorted());
  });

  it('of an earlier process are lost at once where no other process can run them', async () => {
    await open();
    const first = await fleet.dispatcher('leader', { sharesBus: false });
    const host = fleet.host('old');
    const jobId = await fleet.submit(SOME);
    await tying(host);
    await first.stop();
    fleet.kill(host);
    fleet.host('new');
    await fleet.dispatcher('leader', { sharesBus: false });
    await completed(jobId);
    expect(only(jobId, 'JobAttemptEnded')).toMatchObject([{ data: { reason: 'lost' } }]);
  });

  it('start after the jobs that they wait for, and fail when one of those failed', async () => {
    await open();
    await fleet.dispatcher();
    const base = await fleet.submit({ knots: 5, pauseMs: 5 });
    const broken = await fleet.submit({ failsWith: 'too_thick' });
    const next = await fleet.submit({}, { after: [base] });
    const fails = await fleet.submit({}, { after: [base, broken] });
    const last = await fleet.submit({}, { after: [next] });
    const lost = await fleet.submit({}, { after: [fails] });
    fleet.host('host-1');
    await completed(last);
    await eventually(() => fleet.has(lost, 'JobFailed'));
    const order = [base, next, last].map((jobId) =>
      fleet.events().findIndex(({ type, data }) => type === 'JobStarted' && data.jobId === jobId),
    );
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(fleet.typesOf(fails)).toEqual(['JobSubmitted', 'JobFailed']);
    expect(only(lost, 'JobFailed')).toMatchObject([{ data: { code: 'dependency_failed' } }]);
  });

  it('learn from the log how the jobs ended that they wait for', async () => {
    await open();
    const first = await fleet.dispatcher();
    fleet.host('host-1');
    const base = await fleet.submit();
    const broken = await fleet.submit({ failsWith: 'too_thick' });
    await completed(base);
    await eventually(() => fleet.has(broken, 'JobFailed'));
    await first.stop();
    const next = await fleet.submit({}, { after: [base] });
    const fails = await fleet.submit({}, { after: [broken] });
    await fleet.dispatcher();
    await completed(next);
    await eventually(() => fleet.has(fails, 'JobFailed'));
  });

  it('are cancelled with their parent', async () => {
    await open();
    await fleet.dispatcher();
    const host = fleet.host('host-1');
    const parent = await fleet.submit(LONG);
    const child = await fleet.submit(LONG, { parent });
    await eventually(() => host.knots.attempts.length === 2);
    const waiting = await fleet.submit({}, { parent, after: [child] });
    await fleet.cancel(parent);
    const ids = [parent, child, waiting];
    await eventually(() => ids.every((jobId) => fleet.has(jobId, 'JobCancelled')));
    await eventually(() => host.knots.running === 0);
  });

  it('that always fail do so as often as their type allows, and delay no other job', async () => {
    await open();
    await fleet.dispatcher();
    const host = fleet.host('host-1');
    const poisoned = await fleet.submit({ failsWith: 'snapped' });
    const others = await Promise.all(Array.from({ length: 5 }, () => fleet.submit()));
    await Promise.all(others.map(completed));
    await eventually(() => fleet.has(poisoned, 'JobFailed'));
    expect(only(poisoned, 'JobFailed')).toMatchObject([{ data: { code: 'snapped' } }]);
    expect(host.knots.attempts.filter((one) => one.startsWith(poisoned))).toHaveLength(3);
  });

  it('that end their process fail as often as their type allows', async () => {
    await open();
    fleet.silenceMs = SHORT_MS;
    await fleet.dispatcher();
    const poisoned = await fleet.submit(LONG);
    for (let life = 1; life <= 3; life += 1) {
      const host = fleet.host(`host-${life}`);
      await tying(host, 1);
      fleet.kill(host);
    }
    await eventually(() => fleet.has(poisoned, 'JobFailed'));
    expect(only(poisoned, 'JobFailed')).toMatchObject([{ data: { code: 'host_lost' } }]);
  });

  it.each([
    ['over the bus', { place: onEngine }],
    ['from the blobs', {}],
  ])('fail when their input is gone that the host gets %s', async (_, changes) => {
    fleet = await new JobFleet(knotsType(changes)).start();
    const jobId = await fleet.submit();
    fleet.blobs.lose();
    await fleet.dispatcher();
    const { knots } = fleet.host('host-1');
    await eventually(() => fleet.has(jobId, 'JobFailed'));
    expect(only(jobId, 'JobFailed')).toMatchObject([{ data: { code: 'input_unavailable' } }]);
    expect(knots.attempts).toEqual([]);
  });

  it('on engines carry input and checkpoint to hosts without stores', async () => {
    fleet = await new JobFleet(knotsType({ place: onEngine })).start();
    await fleet.dispatcher();
    const first = fleet.host('first');
    const jobId = await fleet.submit(SOME);
    await tying(first);
    await first.host.drain(0);
    const second = fleet.host('second');
    await completed(jobId);
    expect(second.knots.attempts).toEqual([`${jobId}.2 from ${first.knots.knots.length}`]);
  });

  it('take no report that was sealed with another key', async () => {
    await open();
    const jobId = JobId.parse('00000000-0000-4000-8000-000000000001');
    const id = '00000000-0000-4000-8000-000000000002';
    const data = { jobId, sealed: 'AAAA' };
    await fleet.bus.publish(REPORTS_TOPIC, [{ key: jobId, id, headers: {}, data }]);
    const deadLetters = () => fleet.bus.deadLetters(REPORTS_TOPIC, REPORTS_GROUP);
    await eventually(async () => (await deadLetters()).length === 1);
  });

  it('are counted by type: the waiting and running ones, and the ends of attempts', async () => {
    await open({ runningPerHostMax: 1 });
    await fleet.dispatcher();
    const host = fleet.host('host-1');
    await completed(await fleet.submit());
    await fleet.submit(LONG);
    await eventually(() => host.knots.running === 1);
    await fleet.submit();
    const waiting = 'quipu_jobs_waiting{type="knots"} 1';
    await eventually(async () => (await fleet.metrics()).includes(waiting));
    const metrics = await fleet.metrics();
    expect(metrics).toContain('quipu_jobs_running{type="knots"} 1');
    expect(metrics).toContain('quipu_job_attempts_total{type="knots",outcome="completed"} 1');
    expect(metrics).toContain('quipu_job_run_seconds_count{type="knots"} 1');
    expect(metrics).toMatch(/quipu_jobs_oldest_waiting_seconds\{type="knots"\} 0\.\d+/);
  });
});
