/** Returns of the network that acts, on episodes that it has never seen. */
import { topOf } from '#engines/spiking/classification.js';
import { hybridRl } from '#engines/spiking/models/hybrid-rl.model.js';
import type { NeuronModel } from '#engines/spiking/neurons/neuron.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { play } from './actor-critic.episodes.js';
import type { NativeScore } from './network.report.js';
import {
  cartPole,
  EPISODE_STEPS_MAX,
  episodeReturn,
  reset,
  type CartPole,
} from './tasks/cart-pole.js';

/** Held-out episodes of a card. */
export const EPISODES = 100;

/** The starts of held-out episodes; a smaller sample has the first of them. */
export const heldOutStarts = (seed: number, count: number): readonly CartPole[] => {
  const random = seededRandom(~seed);
  return Array.from({ length: count }, () => reset(random));
};

/** Takes the likeliest action in every state. @param atRest without membranes of the push before */
export const returnsOf = (
  weights: NamedTensors,
  starts: readonly CartPole[],
  neuron: NeuronModel,
  atRest = false,
): readonly number[] =>
  play({ weights, neuron, atRest, choose: topOf }, starts).map(({ actions }) => actions.length);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean return of pushes at random, from the same starts. */
const randomReturn = (seed: number): number => {
  const random = seededRandom(~seed + 1);
  const starts = heldOutStarts(seed, EPISODES);
  return mean(starts.map((start) => episodeReturn(() => random.below(2), start)));
};

export const returnsScore = (weights: NamedTensors, seed: number): NativeScore => {
  const starts = heldOutStarts(seed, EPISODES);
  const { neuronModels, neuron } = hybridRl;
  const meanWith = (model: NeuronModel, atRest?: boolean): number =>
    mean(returnsOf(weights, starts, model, atRest));
  const { name, description, classes } = cartPole;
  return {
    accuracyByNeuron: {},
    native: {
      task: name,
      description,
      classes: [...classes],
      temperature: 1,
      meanReturn: meanWith(neuron.model),
      meanReturnAtRest: meanWith(neuron.model, true),
      meanReturnByNeuron: Object.fromEntries(neuronModels.map((model) => [model, meanWith(model)])),
      returnMax: EPISODE_STEPS_MAX,
      baseline: { name: 'pushes at random', meanReturn: randomReturn(seed) },
      episodes: EPISODES,
    },
  };
};
