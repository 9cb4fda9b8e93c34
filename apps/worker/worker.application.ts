import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { WORKERS_GROUP } from '#areas/inference/rigs/workers/worker.protocol.js';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
} from '#engines/language-model/language-model.engine.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { nestLogger } from '../operations/nest.logger.js';
import { BusServer } from './bus.server.js';
import { ModelShelf } from './model-shelf.js';
import { TaskRunner } from './task-runner.js';
import { WorkerHealth } from './worker-health.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WorkerModule } from './worker.module.js';

/** The models that ship with Quipu. */
const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../../models');

/** As many as the engine runs at once, and a short queue: beyond it another worker is quicker. */
const RUNNING_MAX = 4;
const WAITING_MAX = 16;

export interface WorkerOptions {
  /** Shared with the gateways; closed by whoever opened it, after `stop`. */
  readonly bus: Bus;
  /** 32 bytes, of the purpose `TASK_KEY_PURPOSE`. */
  readonly key: Buffer;
  /** This process among its like, unique in the fleet; a letter, then up to 100 of `a-z 0-9 - .`. */
  readonly instance: string;
  /** QUIPU_HOME; its `models` folder is served beside the shipped one. */
  readonly home: string;
  /** Of health and metrics. */
  readonly host: string;
  readonly port: number;
  readonly drainSeconds: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly engine?: LanguageModelEngine;
  /** Default: those that ship. */
  readonly shippedModels?: string;
}

export interface Worker {
  /** Of health and metrics. */
  readonly url: string;
  /** Takes no further task, finishes those under way, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/** Serves the models of this machine to the gateways on the bus. */
export const startWorker = async (options: WorkerOptions): Promise<Worker> => {
  const { bus, key, instance, home, host, port, logger, clock = systemClock } = options;
  const { shippedModels = SHIPPED_MODELS } = options;
  const engine =
    options.engine ??
    createLanguageModelEngine({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  const models = new ModelShelf(engine, [shippedModels, path.join(home, 'models')]);
  const metrics = new WorkerMetrics();
  const tasksMax = RUNNING_MAX + WAITING_MAX;
  const parts = { bus, key, worker: instance, engine, models, tasksMax, metrics, clock, logger };
  const runner = new TaskRunner(parts);
  const facts = { models: () => models.count, running: () => runner.running };
  const health = new WorkerHealth(bus, facts);
  const ready = health.holdBack('starting');
  const app = await NestFactory.create<NestFastifyApplication>(
    WorkerModule.of(runner, metrics, health),
    new FastifyAdapter({ forceCloseConnections: 'idle' }),
    { logger: nestLogger(logger), abortOnError: false },
  );
  const groups = { shared: WORKERS_GROUP, each: `${WORKERS_GROUP}.${instance}` };
  const server = new BusServer(bus, groups);
  app.connectMicroservice<MicroserviceOptions>({ strategy: server });
  await app.listen(port, host);
  await models.scan();
  await app.startAllMicroservices();
  ready();
  logger.info({ instance, models: models.count }, 'the worker takes tasks');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    health.holdBack('draining');
    await server.close();
    await runner.drain(options.drainSeconds * 1_000);
    await app.close();
    await engine.close();
  };
  return { url: await app.getUrl(), stop: () => (stopping ??= stop()) };
};
