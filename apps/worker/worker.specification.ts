import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import {
  type BusTextEngine,
  createBusTextEngine,
} from '#areas/inference/rigs/workers/bus-text-engine.js';
import { type TaskLimits } from '#areas/inference/rigs/workers/open-task.js';
import {
  createLanguageModelEngine,
  type LanguageModelEngine,
  type LanguageModelEngineOptions,
} from '#engines/language-model/language-model.engine.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { startWorker, type Worker, type WorkerOptions } from './worker.application.js';

export const SHIPPED_MODELS = fileURLToPath(new URL('../../models', import.meta.url));
export const NANO = path.join(SHIPPED_MODELS, 'nano.gguf');

export const silent = pino({ level: 'silent' });

/** A gateway's end and any number of workers on one bus, and an engine in this process beside them. */
export class Fleet {
  readonly key = randomBytes(32);
  readonly workers: Worker[] = [];
  readonly #gateways: BusTextEngine[] = [];
  readonly #folders: string[] = [];
  /** Never generates for the workers: what they say is compared with what it says. */
  readonly local: LanguageModelEngine = createLanguageModelEngine();

  constructor(readonly bus: Bus) {}

  gateway(instance = 'gateway-1', limits: Partial<TaskLimits> = {}): BusTextEngine {
    const gateway = createBusTextEngine({
      bus: this.bus,
      instance,
      key: this.key,
      sha256Of: async (file) => (await this.local.describe(file)).sha256,
      logger: silent,
      limits,
    });
    this.#gateways.push(gateway);
    return gateway;
  }

  async worker(
    instance = 'worker-1',
    options: Partial<WorkerOptions> & { readonly models?: LanguageModelEngineOptions } = {},
  ): Promise<Worker> {
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-worker-'));
    this.#folders.push(home);
    const { models, ...rest } = options;
    const worker = await startWorker({
      bus: this.bus,
      key: this.key,
      instance,
      home,
      host: '127.0.0.1',
      port: 0,
      drainSeconds: 5,
      logger: silent,
      shippedModels: SHIPPED_MODELS,
      ...(models && { engine: createLanguageModelEngine(models) }),
      ...rest,
    });
    this.workers.push(worker);
    return worker;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    await this.local.close();
    await this.bus.close();
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true })));
  }
}
