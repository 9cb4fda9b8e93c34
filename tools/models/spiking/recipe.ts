import type { Architecture } from '#engines/spiking/model.js';
import type { NeuronTraining } from './neuron.kernels.js';
import type { ClassificationTask } from './tasks/task.js';

/** How one network is trained by gradients. */
export interface Recipe {
  readonly architecture: Architecture;
  readonly task: ClassificationTask;
  readonly seed: number;
  /** Steps of the optimizer, each on one batch of the task and one of prompts. */
  readonly iterations: number;
  readonly batch: number;
  readonly learningRate: number;
  /** Timesteps in training. Those of a sequence are given by its task. */
  readonly steps: number;
  readonly surrogate?: NeuronTraining['surrogate'];
}
