import { fileURLToPath } from 'node:url';
import { Pipeline, type PipelinePlan } from './pipeline.js';

export const NANO = fileURLToPath(new URL('../../../../models/nano.gguf', import.meta.url));

export const nanoPlan = (changes: Partial<PipelinePlan> = {}): PipelinePlan => ({
  modelFile: NANO,
  layers: 4,
  stages: 2,
  standbys: 0,
  host: '127.0.0.1',
  ...changes,
});

/** Closes the pipeline, whatever happens. */
export const withPipeline = async (
  changes: Partial<PipelinePlan>,
  use: (pipeline: Pipeline) => Promise<void>,
): Promise<void> => {
  const pipeline = await Pipeline.open(nanoPlan(changes));
  try {
    await use(pipeline);
  } finally {
    pipeline.close();
  }
};
