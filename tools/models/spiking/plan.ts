import { hybridLsm } from '#engines/spiking/models/hybrid-lsm.model.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import type { ExampleSource } from './examples.js';
import { learnLiquid } from './liquid.trainer.js';
import { NetworkTrainer } from './network.trainer.js';
import { RECIPES } from './recipes.js';
import { spikeTemplates } from './tasks/spike-templates.task.js';

/** Called with the mean loss of the last steps. */
export type Report = (step: number, loss: number) => void;

/** A network, its task, and how it learns it. */
export interface TrainingPlan extends ExampleSource {
  readonly seed: number;
  learn(report: Report): NamedTensors;
}

const byGradients: readonly TrainingPlan[] = RECIPES.map((recipe) => ({
  ...recipe,
  learn(report) {
    const trainer = new NetworkTrainer(recipe);
    trainer.run(report);
    const weights = trainer.parameters.weights();
    trainer.parameters.dispose();
    return weights;
  },
}));

const liquid = { architecture: hybridLsm, task: spikeTemplates, seed: 1706, steps: 8 } as const;

export const PLANS: readonly TrainingPlan[] = [
  ...byGradients,
  { ...liquid, learn: () => learnLiquid(liquid) },
];
