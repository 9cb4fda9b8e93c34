import { type TextEngine } from '#areas/inference/rigs/embedded-rig.js';
import { createBusTextEngine } from '#areas/inference/rigs/workers/bus-text-engine.js';
import { TASK_KEY_PURPOSE } from '#areas/inference/rigs/workers/task.seal.js';
import { createLanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { type OpenEngines } from './engines.js';
import { type Settings } from './settings.js';

/** What answers for the `embedded` rigs of the catalog. */
export interface LanguageModels extends TextEngine {
  /** Whoever serves callers gets ready for the first of them; others need not. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** Models run in this process, or with workers when there is a bus on which to reach them. */
export const bindLanguageModels = (
  { bus: target, instance }: Pick<Settings, 'bus' | 'instance'>,
  { bus, secrets, logger, clock }: Pick<OpenEngines, 'bus' | 'secrets' | 'logger' | 'clock'>,
): LanguageModels => {
  const engine = createLanguageModelEngine();
  if (target.kind === 'memory') return Object.assign(engine, { listen: () => Promise.resolve() });
  return createBusTextEngine({
    bus,
    instance,
    key: secrets.key(TASK_KEY_PURPOSE),
    // Reads files and loads none of them.
    sha256Of: async (modelFile) => (await engine.describe(modelFile)).sha256,
    clock,
    logger,
  });
};
