import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { pino } from 'pino';
import { z } from 'zod';
import { areas as shipped } from '#apps/composition/areas.js';
import { readSettings } from '#apps/composition/settings.js';
import { type Standalone, startStandalone } from '#apps/processes/standalone.process.js';
import { startWorkerProcess } from '#apps/processes/worker.process.js';
import { JobId, JobUsage } from '#events/jobs/job.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { defineJob, type Finished, type JobType } from '#platform/jobs/job-type.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { defineEngine } from '#platform/tasks/engine.js';
import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { median } from './sample.js';

const TRIPS = 100;
const TRIPS_QUICK = 20;
const WARM_UPS = 10;
const JOBS = 1_000;
const JOBS_QUICK = 200;
/** Submissions that are under way at once. */
const SUBMITTED_AT_ONCE = 50;

const Nothing = z.strictObject({});
const Echo = z.strictObject({ n: z.int() });
type Echo = z.infer<typeof Echo>;

/** Work that takes no time, so that only the way of the job is measured. */
class EchoRunner {
  async *run({ input }: { readonly input: Echo }): AsyncGenerator<never, Finished<Echo>, void> {
    return Promise.resolve({ result: input, shown: {}, usage: [] });
  }
}

type EchoJob = JobType<Echo, Record<string, never>, Record<string, never>, Echo>;

const usage = z.array(JobUsage).readonly();

const EchoAttempt = z.strictObject({
  jobId: z.string(),
  accountId: z.string(),
  submittedAt: z.string(),
  attempt: z.int(),
  input: Echo,
  checkpoint: Nothing.nullable(),
  usage,
});
type EchoAttempt = z.infer<typeof EchoAttempt>;

/** The same work on a worker. */
const echoEngine = defineEngine({
  name: 'echo',
  input: EchoAttempt,
  piece: z.strictObject({
    done: z.int(),
    total: z.int().nullable(),
    shown: Nothing,
    checkpoint: Nothing.nullable(),
    usage,
  }),
  end: z.strictObject({ result: Echo, shown: Nothing, usage }),
  tasksMax: { worker: 64, inProcess: 64 },
  failures: {},
  canRunHere: () => Promise.resolve(null),
  open: () =>
    Promise.resolve({
      run: (attempt: EchoAttempt) => new EchoRunner().run(attempt),
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => Promise.resolve(),
    }),
});

const echoJobOf = (name: string, place: EchoJob['place']): EchoJob =>
  defineJob<Echo, Record<string, never>, Record<string, never>, Echo>({
    name,
    title: 'Echo',
    input: Echo,
    progress: Nothing,
    checkpoint: Nothing,
    result: Echo,
    place,
    limits: {
      openPerAccountMax: 10_000,
      runningPerAccountMax: 64,
      runningPerHostMax: 64,
      queueMsMax: 600_000,
      runMsMax: 600_000,
    },
    retry: { attemptsMax: 1, backOff: { firstMs: 100, maxMs: 100 }, failures: {} },
    price: null,
  });

const hereJob = echoJobOf('echo', { on: 'areas', runner: EchoRunner });
const remoteJob = echoJobOf('echo-on-engine', { on: 'engine', engine: echoEngine });

@Module({ providers: [EchoRunner] })
class EchoModule {}

const echoArea = defineArea({
  name: 'echo',
  module: EchoModule,
  engines: [echoEngine],
  jobs: [hereJob, remoteJob],
});
const areas = [...shipped, echoArea];

/** Resolves when a job is completed. */
class Completions {
  readonly #waiting = new Map<string, () => void>();
  readonly #stop = new AbortController();

  constructor(private readonly eventStore: EventStore) {}

  of(jobId: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(jobId, resolve));
  }

  async watch(): Promise<void> {
    const filter = { by: 'type', prefixes: ['JobCompleted'] } as const;
    const { signal } = this.#stop;
    for await (const { events } of this.eventStore.subscribe({ filter, signal })) {
      for (const { data } of events) {
        const { jobId } = data as { readonly jobId: string };
        this.#waiting.get(jobId)?.();
        this.#waiting.delete(jobId);
      }
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}

/**
 * Jobs of a standalone process on the embedded engines: one after the other from the submission to
 * the result, and many at once. Each is submitted, dispatched, started and completed in the log,
 * with its input and its result as blobs.
 */
export const benchJobs = async ({
  directory,
  isQuick,
}: BenchOptions): Promise<readonly Figure[]> => {
  const settings = settingsOf(await mkdtemp(path.join(directory, 'jobs-')));
  const quipu = await startStandalone(settings, silent, { areas });
  const figures = await measure(quipu, hereJob, 'in process', isQuick);
  await quipu.stop();
  return figures;
};

/** The same jobs on a worker behind Kafka. Gateway and worker share the process, not the bus. */
export const benchJobsOverKafka = async (
  busUrl: string,
  { directory, isQuick }: BenchOptions,
): Promise<readonly Figure[]> => {
  const home = await mkdtemp(path.join(directory, 'jobs-'));
  const bus = { QUIPU_BUS: busUrl };
  const gateway = settingsOf(home, { ...bus, QUIPU_INSTANCE: 'gateway' });
  const quipu = await startStandalone(gateway, silent, { areas });
  const own = { ...bus, QUIPU_INSTANCE: 'worker', QUIPU_WORKER_ENGINES: 'echo' };
  const worker = await startWorkerProcess(settingsOf(home, own), silent, areas);
  const figures = await measure(quipu, remoteJob, 'over Kafka', isQuick);
  await worker.stop();
  await quipu.stop();
  return figures;
};

const silent = pino({ level: 'silent' });

const settingsOf = (home: string, more: NodeJS.ProcessEnv = {}) => {
  const own = { QUIPU_HOME: home, QUIPU_LOG_LEVEL: 'silent', PORT: '0', HOST: '127.0.0.1' };
  return readSettings({ ...own, ...more }, areas);
};

const measure = async (
  quipu: Standalone,
  type: EchoJob,
  where: string,
  isQuick: boolean,
): Promise<readonly Figure[]> => {
  const jobs = quipu.app.get<Jobs>(Jobs, { strict: false });
  const completions = new Completions(quipu.app.get<EventStore>(EVENT_STORE, { strict: false }));
  const watching = completions.watch();
  const run = async (n: number): Promise<void> => {
    const jobId = JobId.parse(randomUUID());
    const completed = completions.of(jobId);
    const order = { jobId, accountId: '1', input: { n }, summary: {}, hold: null };
    await jobs.submit(type, order, contextOf(randomUUID(), 'bench'));
    await completed;
  };
  const trips = await inTurn(run, WARM_UPS + (isQuick ? TRIPS_QUICK : TRIPS));
  const count = isQuick ? JOBS_QUICK : JOBS;
  const seconds = await together(run, count);
  completions.stop();
  await watching;
  return [
    { name: `job round trip ${where}, p50`, value: median(trips), unit: 'ms' },
    {
      name: `jobs a second ${where}, ${SUBMITTED_AT_ONCE} open`,
      value: count / seconds,
      unit: '/s',
    },
  ];
};

/** How long each took, in ms, except the warm-up. */
const inTurn = async (
  run: (n: number) => Promise<void>,
  count: number,
): Promise<readonly number[]> => {
  const trips: number[] = [];
  for (let trip = 0; trip < count; trip += 1) {
    const startedMs = performance.now();
    await run(trip);
    trips.push(performance.now() - startedMs);
  }
  return trips.slice(WARM_UPS);
};

/** How long all took, in seconds. */
const together = async (run: (n: number) => Promise<void>, count: number): Promise<number> => {
  const startedMs = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await run((next += 1));
  };
  await Promise.all(Array.from({ length: SUBMITTED_AT_ONCE }, lane));
  return (performance.now() - startedMs) / 1_000;
};
