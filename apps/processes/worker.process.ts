import { type Logger } from 'pino';
import { systemClock } from '#platform/kernel/clock.js';
import { deriveKey } from '#platform/secrets/derived-key.js';
import { readMasterKey } from '#platform/secrets/master-key.js';
import { SecretsError } from '#platform/secrets/secrets.error.js';
import { JOB_KEY_PURPOSE } from '#platform/jobs/job.seal.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { TASK_KEY_PURPOSE } from '#platform/tasks/task.seal.js';
import { openBus } from '../composition/engines.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type Settings } from '../composition/settings.js';
import { engineHostOf } from '../composition/tasks.binding.js';
import { startWorker, type Worker } from '../worker/worker.application.js';
import { workerEngines } from './worker-engines.js';

/** Opens the bus and the task key, chooses the engines and starts the worker. */
export const startWorkerProcess = async (
  settings: Settings,
  logger: Logger,
  areas: readonly Area[],
): Promise<Worker> => {
  const declared = areas.flatMap((area) => area.engines);
  const types = areas.flatMap((area) => area.jobs);
  if (settings.bus.kind === 'memory') {
    const reason = 'a worker needs a bus between processes, such as kafka://host:port';
    throw new SettingsError(`bad settings\n  QUIPU_BUS: ${reason}`);
  }
  const engineHost = engineHostOf(settings, 'worker', { clock: systemClock, logger });
  const engines = await workerEngines(declared, settings.workerEngines, engineHost);
  const keyFor = masterKeyOf(settings.masterKeyFile);
  const key = keyFor(TASK_KEY_PURPOSE);
  const jobs = { types, key: keyFor(JOB_KEY_PURPOSE) };
  const bus = await openBus(settings, logger, areas);
  try {
    const { host, port, operations, drainSeconds } = settings;
    const { rigName: name = rigNameOf(settings.instance), region } = settings;
    const parts = { bus, key, jobs, engines, engineHost, rig: { name, region }, logger };
    const options = { ...parts, host, port, operations, drainSeconds };
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
const masterKeyOf = (file: string): ((purpose: string) => Buffer) => {
  try {
    const master = readMasterKey(file);
    return (purpose) => deriveKey(master, purpose);
  } catch (cause) {
    if (!(cause instanceof SecretsError)) throw cause;
    const reason = `${cause.message}; a worker needs the key of its gateways`;
    throw new SettingsError(`bad settings\n  QUIPU_MASTER_KEY_FILE: ${reason}`, { cause });
  }
};
