import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { AssignmentSender } from '#platform/jobs/assignment-sender.js';
import {
  JobTypes,
  type Finished,
  type JobAttempt,
  type Progress,
} from '#platform/jobs/job-type.js';
import {
  ASKS_TOPIC,
  JobAsk,
  JobReport,
  reportPlace,
  REPORTS_TOPIC,
} from '#platform/jobs/job.protocol.js';
import { JobSeal } from '#platform/jobs/job.seal.js';
import { knotsType } from '#platform/jobs/knots.job.fake.js';
import { createBusTasks } from '#platform/tasks/bus-tasks.js';
import { systemClock } from '#platform/kernel/clock.js';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { asOperator, operationsSettings } from '../operations/operations.fixture.js';
import { startWorker, type Worker } from './worker.application.js';
import { silent } from './worker.fixture.js';

const JOB = '00000000-0000-4000-8000-000000000001';
const HOST = 'worker-1';

type Attempt = JobAttempt<{ readonly rows: number }>;

/** Weaves a row every few milliseconds, and knows how often it was opened. */
const loom = () => {
  const log = { openings: 0, closings: 0, running: 0 };
  const engine: Engine<Attempt, Progress, Finished<unknown>> = {
    async *run({ input }, signal) {
      log.running += 1;
      try {
        for (let row = 1; row <= input.rows; row += 1) {
          await sleep(5, undefined, { signal });
          const shown = { tied: row };
          yield { done: row, total: input.rows, shown, checkpoint: shown, usage: [] };
        }
        return { result: { knots: input.rows }, shown: {}, usage: [] };
      } finally {
        log.running -= 1;
      }
    },
    status: () => ({ ready: true, reasons: [], facts: {} }),
    close: () => {
      log.closings += 1;
      return Promise.resolve();
    },
  };
  const definition = defineEngine<Attempt, Progress, Finished<unknown>>({
    name: 'loom',
    input: z.custom<Attempt>(),
    piece: z.custom<Progress>(),
    end: z.custom<Finished<unknown>>(),
    tasksMax: { worker: 2, inProcess: 2 },
    failures: {},
    canRunHere: () => Promise.resolve(null),
    open: () => {
      log.openings += 1;
      return Promise.resolve(engine);
    },
  });
  return { log, definition };
};

describe('the jobs of a worker', () => {
  let bus: Bus;
  let worker: Worker;
  let asks: JobAsk[];
  let reports: JobReport[];
  const key = randomBytes(32);
  const seal = new JobSeal(key);
  let woven: ReturnType<typeof loom>;

  beforeEach(async () => {
    bus = createInProcessBus();
    asks = [];
    reports = [];
    woven = loom();
    const collect = (topic: string, take: (delivery: Delivery) => void) =>
      bus.consume({
        topic,
        group: 'spec',
        handle: async (one) => {
          await Promise.resolve();
          take(one);
        },
      });
    await collect(ASKS_TOPIC, ({ data }) => asks.push(JobAsk.parse(data)));
    await collect(REPORTS_TOPIC, ({ data }) => {
      const { jobId, ...body } = data as { readonly jobId: string };
      reports.push(seal.openAs(reportPlace(jobId), body, JobReport));
    });
  });

  afterEach(async () => {
    await worker.stop();
    await bus.close();
  });

  const start = async (drainSeconds = 1): Promise<AssignmentSender> => {
    const { definition } = woven;
    const type = knotsType({ place: { on: 'engine', engine: definition }, input: z.any() });
    const elsewhere = knotsType({ name: 'elsewhere' });
    worker = await startWorker({
      operations: operationsSettings,
      bus,
      key,
      jobs: { types: [type, elsewhere], key, limits: { askMs: 20, progressMs: 10 } },
      engines: [definition],
      engineHost: {
        place: 'worker',
        instance: HOST,
        home: '/nowhere',
        modelFolders: [],
        settings: new Map(),
        clock: systemClock,
        logger: silent,
      },
      host: '127.0.0.1',
      port: 0,
      drainSeconds,
      logger: silent,
    });
    const blobs = { read: () => Promise.resolve({ rows: 400 } as never) };
    return new AssignmentSender(bus, seal, new JobTypes([type]), blobs);
  };

  const job = (rows = 10) => ({
    jobId: JOB,
    accountId: '1',
    type: 'knots',
    submittedAt: '2026-01-01T00:00:00.000Z',
    status: 'dispatched' as const,
    input: { address: 'a'.repeat(64), bytes: rows },
    after: [],
    parent: null,
    attempt: 1,
    host: HOST,
    retryAt: null,
    checkpoint: null,
    usage: [],
  });

  it('run on the engine that its tasks use, and occupy its slots', async () => {
    const sender = await start();
    await eventually(() => asks.length > 0);
    expect(asks[0]?.free).toEqual({ knots: 2 });
    await sender.assign(job());
    await eventually(() => asks.at(-1)?.free['knots'] === 1);
    const tasks = createBusTasks({ bus, instance: 'gateway-1', key, logger: silent });
    const attempt = { ...job(), input: { rows: 60 }, checkpoint: null };
    const task = drain(tasks.run(woven.definition, attempt, new AbortController().signal));
    await eventually(() => asks.at(-1)?.free['knots'] === 0);
    expect((await task).end).toMatchObject({ result: { knots: 60 } });
    const health = (await (await fetch(`${worker.url}/health/ready`, asOperator)).json()) as object;
    expect(health).toMatchObject({ running_jobs: 1, running_tasks: 0 });
    const metrics = await (await fetch(`${worker.url}/metrics`, asOperator)).text();
    expect(metrics).toContain('quipu_worker_jobs_running 1');
    await eventually(() => reports.at(-1)?.kind === 'completed');
    expect(woven.log.openings).toBe(1);
    await tasks.close();
  });

  it('are handed back when the worker stops, before the engine closes', async () => {
    const sender = await start(0.05);
    await sender.assign(job());
    await eventually(() => woven.log.running === 1);
    await worker.stop();
    expect(woven.log).toMatchObject({ running: 0, closings: 1 });
    await eventually(() => reports.at(-1)?.kind === 'ended');
    expect(reports.at(-1)).toMatchObject({ reason: 'drained', code: 'drained' });
    expect(reports.at(-2)?.kind).toBe('progressed');
    expect(asks.at(-1)).toMatchObject({ draining: true });
  });
});
