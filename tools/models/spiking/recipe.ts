import type { Architecture, Readout } from '#engines/spiking/model.js';
import type * as tf from '@tensorflow/tfjs-core';
import type { NeuronTraining } from './neuron.kernels.js';
import type { ParameterStore } from './parameter.store.js';
import type { ClassificationTask } from './tasks/task.js';
import type { TrainingOperations } from './training.operations.js';

/** A number to minimise, of a batch as the network reads it. */
export type NativeLoss = (
  operations: TrainingOperations,
  x: tf.Tensor,
  labels: Int32Array,
) => tf.Tensor;

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
  /** Trains and freezes some parameters before all others. */
  readonly prepare?: (parameters: ParameterStore, seed: number) => void;
  /** The same function as that of the network, in a form that trains faster. */
  readonly forward?: (operations: TrainingOperations, x: tf.Tensor, readout: Readout) => tf.Tensor;
  /** In place of the cross-entropy of the classes of the task. */
  readonly nativeLoss?: NativeLoss;
}
