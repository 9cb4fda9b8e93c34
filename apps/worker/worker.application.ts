import { type MicroserviceOptions } from '@nestjs/microservices';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type AnyEngineDefinition, type EngineHost } from '#platform/tasks/engine.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { Readiness } from '../operations/readiness.js';
import { BusServer } from './bus.server.js';
import { Heartbeats } from './heartbeats.js';
import { ReplyOutbox } from './reply-outbox.js';
import { TaskRunner } from './task-runner.js';
import { TaskRunners } from './task-runners.js';
import { tasksControllerOf } from './tasks.controller.js';
import { WorkerMetrics } from './worker.metrics.js';
import { WorkerModule } from './worker.module.js';
import { WorkerOperations } from './worker.operations.js';

export interface WorkerOptions {
  /** Connects to the gateways. The process that opened the bus closes it after `stop`. */
  readonly bus: Bus;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`. */
  readonly key: Buffer;
  /** At least one; each can run on this machine. */
  readonly engines: readonly AnyEngineDefinition[];
  /** Its `instance` names the worker: a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly engineHost: EngineHost;
  /** The address of health and metrics. */
  readonly host: string;
  readonly port: number;
  readonly drainSeconds: number;
  readonly logger: Logger;
  /** Default `HEARTBEAT_MS`. */
  readonly heartbeatMs?: number;
}

export interface Worker {
  /** The address of health and metrics. */
  readonly url: string;
  /** Takes no new task, finishes the open ones, closes. Idempotent. */
  stop(): Promise<void>;
}

type Phase = 'starting' | 'serving' | 'stopping';

/** Runs the tasks of the engines for the gateways on the bus. */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { bus, engineHost, host, port, drainSeconds, logger } = options;
  const { instance: worker } = engineHost;
  const metrics = new WorkerMetrics();
  const runners = runnersOf(options, metrics);
  const operations = new WorkerOperations(bus, runners, metrics);
  const tasks = runners.all.map((runner) => tasksControllerOf(runner, worker));
  const module = WorkerModule.of(tasks, operations, metrics.registry);
  const app = await createOperationsApplication(module, logger);
  const readiness = app.get(Readiness, { strict: false });
  const ready = readiness.holdBack('starting');
  const server = new BusServer(bus);
  app.connectMicroservice<MicroserviceOptions>({ strategy: server });
  let phase: Phase = 'starting';
  // Before the engines open, which may take minutes where model files are large.
  await app.listen(port, host);
  const heartbeats = heartbeatsOf(options, runners, () => phase);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    phase = 'stopping';
    readiness.holdBack('draining');
    heartbeats.beat();
    await server.close();
    await runners.close(drainSeconds * 1_000);
    await heartbeats.stop();
    await app.close();
  };
  try {
    await runners.open(engineHost);
    await app.startAllMicroservices();
  } catch (error) {
    await stop();
    throw error;
  }
  phase = 'serving';
  ready();
  heartbeats.beat();
  const engines = runners.reports().map(({ name, facts }) => ({ name, ...facts }));
  logger.info({ instance: worker, engines }, 'the worker takes tasks');
  return { url: await app.getUrl(), stop: () => (stopping ??= stop()) };
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

const heartbeatsOf = (
  { bus, engineHost, heartbeatMs, logger }: WorkerOptions,
  runners: TaskRunners,
  phase: () => Phase,
): Heartbeats => {
  const { instance: worker, clock } = engineHost;
  const status = (): WorkerHeartbeat['status'] => {
    const now = phase();
    if (now !== 'serving') return now;
    return runners.reports().every(({ ready }) => ready) ? 'ready' : 'not_ready';
  };
  const engines = (): ReturnType<TaskRunners['reports']> => runners.reports();
  const parts = { bus, worker, status, engines, clock, logger };
  return new Heartbeats({
    ...parts,
    ...(heartbeatMs !== undefined && { intervalMs: heartbeatMs }),
  });
};
