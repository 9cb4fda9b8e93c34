import { access } from 'node:fs/promises';
import { type Logger } from 'pino';
import { TASK_KEY_PURPOSE } from '#areas/inference/rigs/workers/task.seal.js';
import { readOrCreateMasterKey } from '#platform/secrets/master-key.js';
import { deriveKey } from '#platform/secrets/secrets.js';
import { openBus } from '../composition/engines.js';
import { type Settings, SettingsError } from '../composition/settings.js';
import { startWorker, type Worker } from '../worker/worker.application.js';

/** Opens what a worker needs of the settings, which is the bus and one key, and starts it. */
export const startWorkerProcess = async (settings: Settings, logger: Logger): Promise<Worker> => {
  if (settings.bus.kind === 'memory') {
    const told = 'a worker needs a bus between processes, such as kafka://host:port';
    throw new SettingsError(`bad settings\n  QUIPU_BUS: ${told}`);
  }
  const key = await taskKey(settings.masterKeyFile);
  const bus = await openBus(settings, logger);
  try {
    const { instance, home, host, port, drainSeconds } = settings;
    const options = { bus, key, instance, home, host, port, drainSeconds, logger };
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

/** A worker that made a key of its own could read nothing that a gateway sends. */
const taskKey = async (file: string): Promise<Buffer> => {
  try {
    await access(file);
  } catch (cause) {
    const told = `${file}: is not there; a worker needs the key of its gateways`;
    throw new SettingsError(`bad settings\n  QUIPU_MASTER_KEY_FILE: ${told}`, { cause });
  }
  return deriveKey(readOrCreateMasterKey(file), TASK_KEY_PURPOSE);
};
