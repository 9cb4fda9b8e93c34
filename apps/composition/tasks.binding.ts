import path from 'node:path';
import { type EngineHost } from '#platform/tasks/engine.js';
import { createBusTasks } from '#platform/tasks/bus-tasks.js';
import { createLocalTasks } from '#platform/tasks/local-tasks.js';
import { TASK_KEY_PURPOSE } from '#platform/tasks/task.seal.js';
import { type TaskHosting } from '#platform/tasks/tasks.port.js';
import { type OpenEngines } from './engines.js';
import { type Settings } from './settings.js';

/** The folder of the models that ship with Quipu. */
const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../../models');

/** Workers run the tasks if a bus connects processes; otherwise this process runs them. */
export const bindTasks = (
  settings: Settings,
  { bus, secrets, logger, clock }: Pick<OpenEngines, 'bus' | 'secrets' | 'logger' | 'clock'>,
): TaskHosting => {
  if (settings.bus.kind === 'memory') {
    return createLocalTasks(engineHostOf(settings, 'in-process', { clock, logger }));
  }
  const key = secrets.messageKey(TASK_KEY_PURPOSE);
  return createBusTasks({ bus, instance: settings.instance, key, clock, logger });
};

/** The services of this process for the engines that it opens. */
export const engineHostOf = (
  settings: Settings,
  place: EngineHost['place'],
  parts: Pick<EngineHost, 'clock' | 'logger'>,
): EngineHost => {
  const { instance, home } = settings;
  const modelFolders = [SHIPPED_MODELS, path.join(home, 'models')];
  return { place, instance, home, modelFolders, settings: settings.ofAreas, ...parts };
};
