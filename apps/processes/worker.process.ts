import { access } from 'node:fs/promises';
import { type Logger } from 'pino';
import { systemClock } from '#platform/kernel/clock.js';
import { readOrCreateMasterKey } from '#platform/secrets/master-key.js';
import { deriveKey } from '#platform/secrets/secrets.js';
import { type AnyEngineDefinition } from '#platform/tasks/engine.js';
import { TASK_KEY_PURPOSE } from '#platform/tasks/task.seal.js';
import { openBus } from '../composition/engines.js';
import { SettingsError } from '#platform/runtime/settings.js';
import { type Settings } from '../composition/settings.js';
import { engineHostOf } from '../composition/tasks.binding.js';
import { startWorker, type Worker } from '../worker/worker.application.js';
import { workerEngines } from './worker-engines.js';

/** Opens the bus and the task key, chooses the engines and starts the worker. */
export const startWorkerProcess = async (
  settings: Settings,
  logger: Logger,
  declared: readonly AnyEngineDefinition[],
): Promise<Worker> => {
  if (settings.bus.kind === 'memory') {
    const reason = 'a worker needs a bus between processes, such as kafka://host:port';
    throw new SettingsError(`bad settings\n  QUIPU_BUS: ${reason}`);
  }
  const engineHost = engineHostOf(settings, 'worker', { clock: systemClock, logger });
  const engines = await workerEngines(declared, settings.workerEngines, engineHost);
  const key = await taskKey(settings.masterKeyFile);
  const bus = await openBus(settings, logger);
  try {
    const { host, port, drainSeconds } = settings;
    const options = { bus, key, engines, engineHost, host, port, drainSeconds, logger };
    const worker = await startWorker(options);
    const stop = async (): Promise<void> => {
      await worker.stop();
      await bus.close();
    };
    return { url: worker.url, stop };
  } catch (error) {
    await bus.close();
    throw error;
  }
};

/** A worker never creates a key: it could not decrypt tasks with its own key. */
const taskKey = async (file: string): Promise<Buffer> => {
  try {
    await access(file);
  } catch (cause) {
    const reason = `there is no ${file}; a worker needs the key of its gateways`;
    throw new SettingsError(`bad settings\n  QUIPU_MASTER_KEY_FILE: ${reason}`, { cause });
  }
  return deriveKey(readOrCreateMasterKey(file), TASK_KEY_PURPOSE);
};
