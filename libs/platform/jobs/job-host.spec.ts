import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { JobId } from '#events/jobs/job.events.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { silent } from '#platform/runtime/stock.fixture.js';
import { ReportTooLargeError } from './attempt-failure.js';
import { JobHost, type JobHostLimits } from './job-host.js';
import { type AnyJobType } from './job-type.js';
import {
  ASKS_TOPIC,
  type Assignment,
  assignmentPlace,
  JobAsk,
  type JobReport,
  workTopicOf,
} from './job.protocol.js';
import { JobSeal, partsOf } from './job.seal.js';
import { type KnotsInput, knotsHosted, KnotsLog, knotsType } from './knots.job.fake.js';
import { type ReportSink } from './report-sink.js';

const HOST = 'host-1';
const JOB = JobId.parse('00000000-0000-4000-8000-000000000001');
const OTHER = JobId.parse('00000000-0000-4000-8000-000000000002');
const LIMITS: JobHostLimits = { askMs: 20, progressMs: 30, stopMsMax: 500 };

/** Accepts reports, unless it is away. */
class Sink implements ReportSink {
  readonly reports: JobReport[] = [];
  isAway = false;
  /** Reports of this kind are too large. */
  tooLarge: JobReport['kind'] | null = null;

  send(report: JobReport): Promise<void> {
    if (this.isAway) return Promise.reject(new Error('away'));
    if (report.kind === this.tooLarge) {
      return Promise.reject(new ReportTooLargeError('too large'));
    }
    this.reports.push(report);
    return Promise.resolve();
  }

  kinds(): readonly string[] {
    return this.reports.map(({ kind }) => kind);
  }

  last(): JobReport | undefined {
    return this.reports.at(-1);
  }
}

describe('a host of jobs', () => {
  let bus: Bus;
  let seal: JobSeal;
  let log: KnotsLog;
  let sink: Sink;
  let asks: JobAsk[];
  const hosts: JobHost[] = [];

  beforeEach(async () => {
    bus = createInProcessBus();
    seal = new JobSeal(randomBytes(32));
    log = new KnotsLog();
    sink = new Sink();
    asks = [];
    await bus.consume({
      topic: ASKS_TOPIC,
      group: 'spec',
      handle: ({ data }: Delivery) => Promise.resolve(void asks.push(JobAsk.parse(data))),
    });
  });

  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.drain(0)));
    await bus.close();
  });

  const open = (type: AnyJobType = knotsType(), logger = silent): JobHost => {
    const host = new JobHost({
      bus,
      host: HOST,
      seal,
      sink,
      read: () => Promise.reject(new Error('there are no blobs')),
      logger,
      limits: LIMITS,
    });
    hosts.push(host);
    host.start([knotsHosted(log, type)]);
    return host;
  };

  const input = (changes: Partial<KnotsInput> = {}): KnotsInput => ({
    knots: 2,
    pauseMs: 0,
    failsWith: '',
    ...changes,
  });

  /** An input that keeps a slot until the attempt is stopped. */
  const LONG = input({ knots: 10_000, pauseMs: 5 });

  const assign = async (json: unknown, changes: Partial<Assignment> = {}): Promise<void> => {
    const assignment: Assignment = {
      jobId: JOB,
      submittedAt: '2026-11-22T15:00:00.000Z',
      attempt: 1,
      type: 'knots',
      accountId: '1',
      input: { json },
      checkpoint: null,
      usage: [],
      ...changes,
    };
    const bodies = partsOf(JSON.stringify(assignment));
    for (const [n, body] of bodies.entries()) {
      const { jobId: job, attempt } = assignment;
      const [part, parts] = [n + 1, bodies.length];
      const data = seal.seal(assignmentPlace(HOST, assignment, part, parts), body);
      const headers = {
        kind: 'assignment',
        job,
        attempt: String(attempt),
        part: String(part),
        parts: String(parts),
      };
      await bus.publish(workTopicOf(HOST), [{ key: job, id: randomUUID(), headers, data }]);
    }
  };

  const stop = (job: string, attempt = 1): Promise<void> => {
    const headers = { kind: 'stop', job, attempt: String(attempt) };
    return bus.publish(workTopicOf(HOST), [{ key: job, id: randomUUID(), headers, data: null }]);
  };

  it('asks for work regularly, with its free slots', async () => {
    open();
    await eventually(() => asks.length >= 3);
    expect(asks[0]).toMatchObject({ host: HOST, free: { knots: 4 }, running: [], draining: false });
    expect(asks.slice(0, 3).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(new Set(asks.map(({ session }) => session)).size).toBe(1);
  });

  it('runs an attempt and reports its start, its progress and its result, in order', async () => {
    open();
    await assign(input({ knots: 3 }), { checkpoint: { json: { tied: 1 } } });
    await eventually(() => sink.last()?.kind === 'completed');
    expect(log.attempts).toEqual([`${JOB}.1 from 1`]);
    const kinds = sink.kinds();
    expect([kinds[0], ...kinds.slice(-2)]).toEqual(['started', 'progressed', 'completed']);
    const identity = { jobId: JOB, accountId: '1', type: 'knots', attempt: 1, host: HOST };
    expect(sink.reports.at(-2)).toEqual({
      kind: 'progressed',
      ...identity,
      sequence: kinds.length - 2,
      done: 3,
      total: 3,
      shown: { tied: 3 },
      checkpoint: { json: { tied: 3 } },
      usage: [{ meter: 'knots', quantity: 3 }],
    });
    expect(sink.last()).toMatchObject({ result: { json: { knots: 3 } }, shown: { tied: 3 } });
  });

  it('asks at once when a slot is free again', async () => {
    open(knotsType({ limits: { ...knotsType().limits, runningPerHostMax: 1 } }));
    await assign(LONG);
    await eventually(() => asks.at(-1)?.free['knots'] === 0);
    expect(asks.at(-1)?.running).toEqual([{ jobId: JOB, attempt: 1 }]);
    await stop(JOB);
    await eventually(() => asks.at(-1)?.free['knots'] === 1 && asks.at(-1)?.running.length === 0);
  });

  it('runs an attempt once, however often it is assigned', async () => {
    open();
    await assign(input());
    await assign(input());
    await eventually(() => sink.last()?.kind === 'completed');
    await assign(input());
    await assign(input(), { attempt: 2 });
    await eventually(() => log.attempts.length === 2);
    expect(log.attempts).toEqual([`${JOB}.1 from 0`, `${JOB}.2 from 0`]);
  });

  it('merges progress, and never loses the last of it', async () => {
    open();
    await assign(input({ knots: 40, pauseMs: 3 }));
    await eventually(() => sink.last()?.kind === 'completed');
    const progress = sink.reports.flatMap((one) => (one.kind === 'progressed' ? [one] : []));
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.length).toBeLessThan(20);
    expect(progress.map(({ sequence }) => sequence)).toEqual(progress.map((_, n) => n + 1));
    expect(progress.at(-1)).toMatchObject({ done: 40 });
  });

  it('continues while reports are not accepted, and then reports the latest', async () => {
    open();
    sink.isAway = true;
    await assign(input({ knots: 10, pauseMs: 5 }));
    await eventually(() => log.knots.length === 10);
    sink.isAway = false;
    await eventually(() => sink.last()?.kind === 'completed');
    expect(sink.kinds()).toEqual(['started', 'progressed', 'completed']);
    expect(sink.reports[1]).toMatchObject({ done: 10 });
  });

  it('lists an attempt until its end is reported, while its slot is free', async () => {
    open();
    await eventually(() => asks.length > 0);
    sink.isAway = true;
    await assign(input());
    await eventually(() => log.running === 0 && log.knots.length === 2);
    await eventually(() => asks.at(-1)?.free['knots'] === 4 && asks.at(-1)?.running.length === 1);
    sink.isAway = false;
    await eventually(() => asks.at(-1)?.running.length === 0);
  });

  it('stops an attempt, and reports what it finished before', async () => {
    open();
    await assign(LONG);
    await eventually(() => log.knots.length >= 3);
    await stop(JOB);
    await eventually(() => sink.last()?.kind === 'ended');
    expect(log.running).toBe(0);
    expect(sink.last()).toMatchObject({ reason: 'failed', code: 'stopped' });
    expect(sink.reports.at(-2)).toMatchObject({ kind: 'progressed', done: log.knots.length });
  });

  it('stops no other attempt of the job', async () => {
    open();
    await assign(input({ knots: 20, pauseMs: 3 }), { attempt: 2 });
    await stop(JOB, 1);
    await eventually(() => sink.last()?.kind === 'completed');
  });

  it.each([
    ['snapped', { code: 'snapped', message: 'the rope' }],
    ['too_thick', { code: 'too_thick', message: 'the rope' }],
    ['ENOENT', { code: 'failed' }],
    ['constructor', { code: 'failed' }],
  ])(
    'reports the code of a failure that the type declares, and no other: %s',
    async (code, end) => {
      open();
      await assign(input({ failsWith: code }));
      await eventually(() => sink.last()?.kind === 'ended');
      expect(sink.last()).toMatchObject({ reason: 'failed', ...end });
      if (end.code === 'failed') expect(JSON.stringify(sink.last())).not.toContain('the rope');
    },
  );

  it('fails an input that does not fit its type, and runs nothing', async () => {
    open();
    await assign({ knots: 'many' });
    await eventually(() => sink.last()?.kind === 'ended');
    expect(sink.last()).toMatchObject({ code: 'invalid_input' });
    expect(log.attempts).toEqual([]);
  });

  it.each([
    ['a checkpoint', 'progressed', LONG],
    ['a result', 'completed', input({ knots: 1 })],
  ] as const)('fails when %s is too large to be reported', async (_, kind, asked) => {
    open();
    sink.tooLarge = kind;
    await assign(asked);
    await eventually(() => sink.last()?.kind === 'ended');
    expect(sink.last()).toMatchObject({ code: 'report_too_large' });
  });

  it('hands back what it has no slot for', async () => {
    open(knotsType({ limits: { ...knotsType().limits, runningPerHostMax: 1 } }));
    await assign(LONG);
    await assign(LONG, { jobId: OTHER });
    await eventually(() => sink.reports.some(({ jobId }) => jobId === OTHER));
    expect(sink.reports.find(({ jobId }) => jobId === OTHER)).toMatchObject({
      kind: 'ended',
      reason: 'drained',
      code: 'host_full',
    });
    expect(log.attempts).toHaveLength(1);
  });

  it('drains: finishes what it has, and takes nothing more', async () => {
    const host = open();
    await assign(input({ knots: 20, pauseMs: 5 }));
    await eventually(() => log.running === 1);
    const draining = host.drain(5_000);
    await eventually(() => asks.at(-1)?.draining === true);
    expect(asks.at(-1)).toMatchObject({ free: { knots: 0 }, running: [{ jobId: JOB }] });
    await draining;
    expect(sink.last()?.kind).toBe('completed');
    await eventually(() => asks.at(-1)?.running.length === 0);
  });

  it('hands an attempt back, behind its last progress, when the drain takes too long', async () => {
    const host = open();
    await assign(LONG);
    await eventually(() => log.knots.length >= 3);
    await host.drain(20);
    expect(log.running).toBe(0);
    expect(sink.reports.at(-2)).toMatchObject({ kind: 'progressed', done: log.knots.length });
    expect(sink.last()).toMatchObject({ kind: 'ended', reason: 'drained', code: 'drained' });
  });

  it('stops in time although nothing accepts its reports', async () => {
    const host = open();
    sink.isAway = true;
    await assign(LONG);
    await eventually(() => log.running === 1);
    await host.drain(0);
    expect(host.running).toBeLessThanOrEqual(1);
    expect(sink.reports).toEqual([]);
  });

  it('takes an assignment that needs several messages', async () => {
    open();
    await assign(input(), { checkpoint: { json: { tied: 1, rope: 'x'.repeat(1_500_000) } } });
    await eventually(() => sink.last()?.kind === 'ended');
    // It was put together: its checkpoint is what does not fit.
    expect(sink.last()).toMatchObject({ code: 'invalid_input' });
  });

  it('runs nothing that was sealed with another key, and says so', async () => {
    const warnings: unknown[] = [];
    const logger = pino({}, { write: (line: string) => warnings.push(JSON.parse(line)) });
    open(knotsType(), logger);
    const own = seal;
    seal = new JobSeal(randomBytes(32));
    await assign(input());
    seal = own;
    await eventually(() => warnings.length > 0);
    expect(warnings).toMatchObject([
      { topic: workTopicOf(HOST), err: { type: 'SealBrokenError' } },
    ]);
    expect(sink.reports).toEqual([]);
  });
});
