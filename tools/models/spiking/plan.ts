import { hybridLsm } from '#engines/spiking/models/hybrid-lsm.model.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import { actorCritic } from './actor-critic.plan.js';
import type { ExampleSource, InputSource } from './examples.js';
import { learnLiquid } from './liquid.trainer.js';
import { classifierScore, type NativeScore } from './network.report.js';
import { NetworkTrainer } from './network.trainer.js';
import { RECIPES } from './recipes.js';
import { spikeTemplates } from './tasks/spike-templates.task.js';

/** Called with the mean loss of the last steps; of a network that acts, with its mean return. */
export type Report = (step: number, figure: number) => void;

/** A network, its task, and how it learns it. */
export interface TrainingPlan extends InputSource {
  readonly seed: number;
  learn(report: Report): NamedTensors;
  score(weights: NamedTensors): NativeScore;
}

/** A network whose task has labels. */
export interface ClassifierPlan extends TrainingPlan, ExampleSource {
  readonly task: ExampleSource['task'];
}

const classifier = (
  source: ExampleSource & Pick<TrainingPlan, 'seed'>,
  learn: TrainingPlan['learn'],
): ClassifierPlan => ({
  ...source,
  learn,
  score: (weights) => classifierScore({ ...source, weights }),
});

const byGradients: readonly ClassifierPlan[] = RECIPES.map((recipe) =>
  classifier(recipe, (report) => {
    const trainer = new NetworkTrainer(recipe);
    trainer.run(report);
    const weights = trainer.parameters.weights();
    trainer.parameters.dispose();
    return weights;
  }),
);

const liquid = { architecture: hybridLsm, task: spikeTemplates, seed: 1706, steps: 8 } as const;

export const CLASSIFIERS: readonly ClassifierPlan[] = [
  ...byGradients,
  classifier(liquid, () => learnLiquid(liquid)),
];

export const PLANS: readonly TrainingPlan[] = [...CLASSIFIERS, actorCritic];
