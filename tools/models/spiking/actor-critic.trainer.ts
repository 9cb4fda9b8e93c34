/** Trains the network that acts: first the policy, then the prompts, on a trunk that is frozen. */
import * as tf from '@tensorflow/tfjs-core';
import { topOf } from '#engines/spiking/classification.js';
import { readoutOf } from '#engines/spiking/heads.js';
import { hybridRl } from '#engines/spiking/models/hybrid-rl.model.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import { AdamW } from '#engines/training/adam-w.optimizer.js';
import { crossEntropy } from '#engines/training/model/llama.gradients.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { meanReturn, play, STEPS_PER_PUSH, type Episode } from './actor-critic.episodes.js';
import { actorCriticLoss, experienceOf } from './actor-critic.loss.js';
import { batchOf, drawPrompts, type LabelledInput } from './examples.js';
import { ParameterStore } from './parameter.store.js';
import type { Report } from './plan.js';
import { cartPole, reset, type CartPole } from './tasks/cart-pole.js';
import { TrainingOperations } from './training.operations.js';

export interface PromptRecipe {
  readonly seed: number;
  /** Prompts from which batches are drawn. */
  readonly pool: number;
  readonly iterations: number;
  readonly batch: number;
  readonly learningRate: number;
}

export interface ActorCriticRecipe {
  readonly seed: number;
  /** Steps of the optimizer, each on fresh episodes. */
  readonly updates: number;
  readonly episodes: number;
  readonly learningRate: number;
  readonly prompts: PromptRecipe;
}

/** Episodes by which the weights that are kept are chosen; their starts have no other use. */
const TRIALS = 30;
const TRIAL_EVERY = 10;
/** Rates of learning fall to this share of what they start from. */
const LAST_RATE = 0.1;

const startsOf = (random: SeededRandom, count: number): readonly CartPole[] =>
  Array.from({ length: count }, () => reset(random));

class ActorCriticTrainer {
  readonly #operations: TrainingOperations;
  #optimizer = new AdamW();

  constructor(readonly parameters: ParameterStore) {
    const neuron = { ...hybridRl.neuron, surrogate: 'atan', detachReset: true } as const;
    this.#operations = new TrainingOperations({ parameters, steps: STEPS_PER_PUSH, neuron });
    // The first pass makes the parameters, which must exist before gradients are taken.
    const start = {
      observations: [[0, 0, 0, 0]],
      actions: [0],
      values: [0],
      valueAfter: 0,
    } as const;
    tf.tidy(() => actorCriticLoss(this.#operations, experienceOf([start])));
  }

  /** What exists is trained no further: the text head learns on the trunk of the policy. */
  beginPrompts(sample: LabelledInput): void {
    this.parameters.freeze();
    tf.tidy(() => this.#promptLoss([sample]));
    this.#optimizer = new AdamW();
  }

  learnFrom(episodes: readonly Episode[], rate: number): void {
    const experience = experienceOf(episodes);
    this.#step(() => actorCriticLoss(this.#operations, experience), rate);
  }

  learnPrompts(prompts: readonly LabelledInput[], rate: number): void {
    this.#step(() => this.#promptLoss(prompts), rate);
  }

  #step(loss: () => tf.Scalar, rate: number): void {
    const { trained } = this.parameters;
    const { value, grads } = tf.variableGrads(loss, [...trained.values()]);
    this.#optimizer.step(trained, grads, rate);
    tf.dispose([value, grads]);
  }

  #promptLoss(prompts: readonly LabelledInput[]): tf.Scalar {
    const { x, labels } = batchOf(prompts);
    const readout = readoutOf('text', cartPole.classes.length);
    const input = tf.tensor(x.values, [...x.shape]);
    const logits = hybridRl.forward<tf.Tensor>(this.#operations, input, readout);
    const weights = new Float32Array(prompts.length).fill(1 / prompts.length);
    return crossEntropy(tf.reshape(logits, [prompts.length, readout.classes]), labels, weights);
  }
}

const rateAt = (share: number, first: number): number => first * (1 - (1 - LAST_RATE) * share);

/**
 * The policy whose trials went best; the last of equals.
 * @param report is called with the mean return of the trials
 */
export const learnPolicy = (
  recipe: Omit<ActorCriticRecipe, 'prompts'>,
  report: Report,
): NamedTensors => {
  const { seed, updates, episodes, learningRate } = recipe;
  const trainer = new ActorCriticTrainer(new ParameterStore(seed));
  const random = seededRandom(seed + 1);
  const sampled = ([first = 0]: readonly number[]): number => (random.next() < first ? 0 : 1);
  const { model: neuron } = hybridRl.neuron;
  const trials = startsOf(seededRandom(seed + 2), TRIALS);
  let best = { weights: trainer.parameters.weights(), score: 0 };
  for (let update = 1; update <= updates; update += 1) {
    const weights = trainer.parameters.weights();
    const acted = play({ weights, neuron, choose: sampled }, startsOf(random, episodes));
    trainer.learnFrom(acted, rateAt(update / updates, learningRate));
    if (update % TRIAL_EVERY !== 0 && update !== updates) continue;
    const learned = trainer.parameters.weights();
    const score = meanReturn(play({ weights: learned, neuron, choose: topOf }, trials));
    report(update, score);
    if (score >= best.score) best = { weights: learned, score };
  }
  trainer.parameters.dispose();
  return best.weights;
};

/** Adds the text head to a policy. */
const withPrompts = (policy: NamedTensors, recipe: PromptRecipe): NamedTensors => {
  const { seed, pool: size, iterations, batch, learningRate } = recipe;
  const trainer = new ActorCriticTrainer(ParameterStore.of(policy));
  const source = { architecture: hybridRl, task: cartPole, steps: STEPS_PER_PUSH };
  const pool = drawPrompts(source, 'training', seed, size);
  const random = seededRandom(seed + 1);
  trainer.beginPrompts(random.pick(pool));
  for (let step = 1; step <= iterations; step += 1) {
    const drawn = Array.from({ length: batch }, () => random.pick(pool));
    trainer.learnPrompts(drawn, rateAt(step / iterations, learningRate));
  }
  const weights = trainer.parameters.weights();
  trainer.parameters.dispose();
  return weights;
};

/** @param report as that of `learnPolicy` */
export const learnToBalance = (recipe: ActorCriticRecipe, report: Report): NamedTensors =>
  withPrompts(learnPolicy(recipe, report), recipe.prompts);
