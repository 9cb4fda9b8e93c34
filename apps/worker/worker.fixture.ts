import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type TextEngine } from '#areas/inference/rigs/embedded-rig.js';
import { textEngineWith } from '#areas/inference/text/text.engine.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
  type LanguageModelEngineOptions,
} from '#engines/language-model/language-model.engine.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { systemClock } from '#platform/kernel/clock.js';
import { createBusTasks } from '#platform/tasks/bus-tasks.js';
import { type AnyEngineDefinition } from '#platform/tasks/engine.js';
import { type TaskLimits } from '#platform/tasks/open-task.js';
import { type WorkerRig } from '#platform/tasks/worker-heartbeat.js';
import { type TaskHosting } from '#platform/tasks/tasks.port.js';
import { operationsSettings } from '../operations/operations.fixture.js';
import { startWorker, type Worker } from './worker.application.js';

export const SHIPPED_MODELS = fileURLToPath(new URL('../../models', import.meta.url));
export const NANO = path.join(SHIPPED_MODELS, 'nano.gguf');

export const silent = pino({ level: 'silent' });

/** The gateway's side: the text engine of its rigs, and the tasks of any engine. */
export interface Gateway extends TextEngine {
  readonly tasks: TaskHosting;
  listen(): Promise<void>;
}

export interface FleetWorkerOptions {
  /** Default: only text. */
  readonly engines?: readonly AnyEngineDefinition[];
  /** Options of the text engine. */
  readonly models?: LanguageModelEngineOptions;
  readonly key?: Buffer;
  readonly home?: string;
  readonly shippedModels?: string;
  readonly drainSeconds?: number;
  readonly heartbeatMs?: number;
  readonly rig?: WorkerRig;
  /** Default: the bus of the fleet. */
  readonly bus?: Bus;
}

/** Gateways and workers on one bus, and a local engine for comparison. */
export class Fleet {
  readonly key = randomBytes(32);
  readonly workers: Worker[] = [];
  readonly #gateways: TaskHosting[] = [];
  readonly #folders: string[] = [];
  /** The engine for comparison. It does not run tasks of the workers. */
  readonly local: LanguageModelEngine;

  /** @param shared serves several fleets for comparison, and is closed by the caller */
  constructor(
    readonly bus: Bus,
    private readonly shared?: LanguageModelEngine,
  ) {
    this.local = shared ?? createLanguageModelEngine();
  }

  gateway(instance = 'gateway-1', limits: Partial<TaskLimits> = {}): Gateway {
    const tasks = createBusTasks({
      bus: this.bus,
      instance,
      key: this.key,
      logger: silent,
      limits,
    });
    this.#gateways.push(tasks);
    const text = createTextEngine(tasks, {
      modelSha256: async (file) => (await this.local.describe(file)).sha256,
      adapterSha256: async (file) => (await this.local.describeAdapter(file)).sha256,
    });
    return { ...text, tasks, listen: () => tasks.listen() };
  }

  async worker(instance = 'worker-1', options: FleetWorkerOptions = {}): Promise<Worker> {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-worker-'));
    this.#folders.push(folder);
    const { home = folder, shippedModels = SHIPPED_MODELS, heartbeatMs, rig } = options;
    const worker = await startWorker({
      bus: options.bus ?? this.bus,
      key: options.key ?? this.key,
      engines: options.engines ?? [textEngineWith(options.models ?? {})],
      engineHost: {
        place: 'worker',
        instance,
        home,
        modelFolders: [shippedModels, path.join(home, 'models')],
        settings: new Map(),
        clock: systemClock,
        logger: silent,
      },
      host: '127.0.0.1',
      port: 0,
      operations: operationsSettings,
      drainSeconds: options.drainSeconds ?? 5,
      logger: silent,
      ...(heartbeatMs !== undefined && { heartbeatMs }),
      ...(rig && { rig }),
    });
    this.workers.push(worker);
    return worker;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    if (!this.shared) await this.local.close();
    await this.bus.close();
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true })));
  }
}
