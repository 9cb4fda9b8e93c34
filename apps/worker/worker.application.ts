import path from 'node:path';
import { type MicroserviceOptions } from '@nestjs/microservices';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type AnyEngineDefinition, type EngineHost } from '#platform/tasks/engine.js';
import { type HostedType } from '#platform/jobs/hosted-type.js';
import { JobHost, type JobHostLimits } from '#platform/jobs/job-host.js';
import { type AnyJobType } from '#platform/jobs/job-type.js';
import { JobSeal } from '#platform/jobs/job.seal.js';
import { busReportSink } from '#platform/jobs/report-sink.js';
import { BorrowedFiles } from '#platform/tasks/borrowed-files.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { ProbedLinks } from '#platform/tasks/probed-links.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { isCancellations } from '#platform/tasks/task.protocol.js';
import { HEARTBEAT_MS } from '#platform/tasks/worker-heartbeat.js';
import { type WorkerHeartbeat, type WorkerRig } from '#platform/tasks/worker-heartbeat.js';
import { WorkerOrders } from '#platform/tasks/worker-orders.js';
import { instant } from '#platform/kernel/clock.js';
import { MachineTelemetry } from '#platform/telemetry/machine-telemetry.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { type OperationsSettings } from '../operations/operations-access.js';
import { OperationsServer } from '../operations/operations.server.js';
import { Readiness } from '../operations/readiness.js';
import { BusServer } from './bus.server.js';
import { measureHardware } from './hardware.js';
import { type HeartbeatOptions, Heartbeats } from './heartbeats.js';
import { ReplyOutbox } from './reply-outbox.js';
import { TaskRunner } from './task-runner.js';
import { TaskRunners } from './task-runners.js';
import { pinnedTasksControllerOf, tasksControllerOf } from './tasks.controller.js';
import { TelemetrySampler } from './telemetry-sampler.js';
import { WorkerMetrics } from './worker.metrics.js';
import { WorkerModule } from './worker.module.js';
import { WorkerOperations } from './worker.operations.js';

export interface WorkerOptions {
  /** Connects to the gateways. The process that opened the bus closes it after `stop`. */
  readonly bus: Bus;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`. */
  readonly key: Buffer;
  /** Jobs on the engines. Absent: this worker runs none. */
  readonly jobs?: WorkerJobs;
  /** At least one; each can run on this machine. */
  readonly engines: readonly AnyEngineDefinition[];
  /** Its `instance` names the worker: a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly engineHost: EngineHost;
  /** The address of health and metrics. */
  readonly host: string;
  readonly port: number;
  /** Who may see the reports of the worker. */
  readonly operations: OperationsSettings;
  readonly drainSeconds: number;
  readonly logger: Logger;
  /** Default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
  /** The rig as which the worker registers; default: a rig named after it, in no region. */
  readonly rig?: WorkerRig;
  /** Default: the sensors of this machine. */
  readonly machine?: Pick<MachineTelemetry, 'read'>;
}

export interface WorkerJobs {
  /** Those on other engines are ignored. */
  readonly types: readonly AnyJobType[];
  /** 32 bytes, of the purpose `JOB_KEY_PURPOSE`. */
  readonly key: Buffer;
  readonly limits?: Partial<JobHostLimits>;
}

export interface Worker {
  /** The address of health and metrics. */
  readonly url: string;
  /** Takes no new task, finishes the open ones, closes. Idempotent. */
  stop(): Promise<void>;
}

type Phase = 'starting' | 'serving' | 'draining' | 'stopping';

/** The folder in QUIPU_HOME for copies of files that gateways lend. */
const BORROWED = 'borrowed';

/** Runs the tasks of the engines for the gateways on the bus. */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { bus, engineHost, host, port, drainSeconds, logger } = options;
  const { instance: worker } = engineHost;
  const metrics = new WorkerMetrics();
  const runners = runnersOf(options, metrics);
  const jobs = jobHostOf(options);
  const operations = new WorkerOperations(bus, runners, metrics, jobs);
  const tasks = [
    ...runners.all.map((runner) => tasksControllerOf(runner, worker)),
    pinnedTasksControllerOf(runners.all, worker),
  ];
  const module = WorkerModule.of(tasks, operations, metrics.registry, options.operations);
  const app = await createOperationsApplication(module, logger);
  const readiness = app.get(Readiness, { strict: false });
  const ready = readiness.holdBack('starting');
  const server = new BusServer(bus);
  app.connectMicroservice<MicroserviceOptions>({ strategy: server });
  let phase: Phase = 'starting';
  // Before the engines open, which may take minutes where model files are large.
  await app.listen(port, host);
  await app.get(OperationsServer, { strict: false }).listen();
  const hardware = await measureHardware(logger);
  const startedAt = instant(engineHost.clock);
  const { machine = new MachineTelemetry({ logger }), heartbeatMs = HEARTBEAT_MS } = options;
  const sampler = new TelemetrySampler(machine, heartbeatMs);
  const facts = { startedAt, hardware, telemetry: () => sampler.telemetry };
  const heartbeats = heartbeatsOf(options, runners, facts, () => phase);
  let stopping: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  const takeNoMore = (next: Phase): Promise<void> => {
    phase = next;
    readiness.holdBack('draining');
    heartbeats.beat();
    return (draining ??= jobs.drain(drainSeconds * 1_000));
  };
  const drain = (): void => {
    if (phase !== 'serving') return;
    logger.info({ instance: worker }, 'the worker is drained: it takes no more tasks');
    const jobsEnded = takeNoMore('draining');
    // Cancellations of running tasks are heard until the worker stops.
    const left = server.leave((topic) => !isCancellations(topic));
    Promise.all([left, jobsEnded]).catch((error: unknown) => {
      logger.error({ err: error }, 'the worker could not leave its topics');
    });
  };
  const peers = peersOf(options, startedAt, drain);
  const stop = async (): Promise<void> => {
    const jobsEnded = takeNoMore('stopping');
    await server.close();
    await runners.close(drainSeconds * 1_000, jobsEnded);
    await Promise.all([heartbeats.stop(), peers.stop(), sampler.stop()]);
    await app.close();
  };
  try {
    await runners.open({ ...engineHost, borrow: await peers.borrowing() });
    await app.startAllMicroservices();
  } catch (error) {
    await stop();
    throw error;
  }
  jobs.start((options.jobs?.types ?? []).flatMap((type) => hostedByWorker(type, runners) ?? []));
  phase = 'serving';
  ready();
  heartbeats.beat();
  const engines = runners.reports().map(({ name, facts }) => ({ name, ...facts }));
  logger.info({ instance: worker, engines }, 'the worker takes tasks');
  return { url: await app.getUrl(), stop: () => (stopping ??= stop()) };
};

/**
 * The orders, links and files that connect this worker with other processes, in addition to tasks.
 */
const peersOf = (
  { bus, key, engineHost, logger }: WorkerOptions,
  startedAt: string,
  drain: () => void,
) => {
  const { instance: worker, home } = engineHost;
  const seal = new TaskSeal(key);
  const links = new ProbedLinks({ bus, worker, logger });
  links.start();
  const orders = new WorkerOrders({ bus, seal, logger, worker, startedAt, drain });
  const folder = path.join(home, BORROWED);
  const borrowed = new BorrowedFiles({ bus, worker, seal, folder, logger });
  return {
    borrowing: async (): Promise<NonNullable<EngineHost['borrow']>> => {
      await borrowed.start();
      return (file) => borrowed.fileOf(file);
    },
    stop: () => Promise.all([links.stop(), orders.stop(), borrowed.stop()]),
  };
};

const runnersOf = (
  { bus, key, engines, engineHost, logger }: WorkerOptions,
  metrics: WorkerMetrics,
): TaskRunners => {
  const { instance: worker, clock } = engineHost;
  const seal = new TaskSeal(key);
  const outbox = new ReplyOutbox(bus);
  const parts = { seal, outbox, worker, metrics, clock, logger };
  return new TaskRunners(engines.map((definition) => new TaskRunner({ definition, ...parts })));
};

const jobHostOf = ({
  bus,
  key,
  jobs = { types: [], key },
  engineHost,
  logger,
}: WorkerOptions): JobHost => {
  const seal = new JobSeal(jobs.key);
  return new JobHost({
    bus,
    host: engineHost.instance,
    seal,
    sink: busReportSink(bus, seal),
    // Assignments to a worker carry input and checkpoint.
    read: () => Promise.reject(new Error('a worker opens no blobs')),
    logger,
    ...(jobs.limits && { limits: jobs.limits }),
  });
};

/** Null for a type on an engine that this worker does not run. */
const hostedByWorker = (type: AnyJobType, { all }: TaskRunners): HostedType | null => {
  const { place } = type;
  if (place.on !== 'engine') return null;
  const runner = all.find(({ definition }) => definition === place.engine);
  return (
    (runner && {
      type,
      free: () => runner.free,
      run: (attempt, signal) => runner.runJob(place.engine, attempt, signal),
    }) ??
    null
  );
};

const heartbeatsOf = (
  { bus, engineHost, heartbeatMs, logger, ...options }: WorkerOptions,
  runners: TaskRunners,
  facts: Pick<HeartbeatOptions, 'startedAt' | 'hardware' | 'telemetry'>,
  phase: () => Phase,
): Heartbeats => {
  const { instance: worker, clock } = engineHost;
  const status = (): WorkerHeartbeat['status'] => {
    const now = phase();
    if (now !== 'serving') return now;
    return runners.reports().every(({ ready }) => ready) ? 'ready' : 'not_ready';
  };
  const engines = (): ReturnType<TaskRunners['reports']> => runners.reports();
  const { rig = { name: rigNameOf(worker), region: null } } = options;
  const parts = { bus, worker, rig, status, ...facts, engines, clock, logger };
  return new Heartbeats({
    ...parts,
    ...(heartbeatMs !== undefined && { intervalMs: heartbeatMs }),
  });
};
