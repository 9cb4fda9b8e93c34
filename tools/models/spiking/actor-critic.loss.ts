/** The loss of advantage actor-critic (Mnih et al., 2016), through all timesteps of an episode. */
import * as tf from '@tensorflow/tfjs-core';
import {
  act,
  judge,
  populationCode,
  VALUE_SCALE,
} from '#engines/spiking/models/hybrid-rl.model.js';
import { crossEntropy } from '#engines/training/model/llama.gradients.js';
import { READOUT, STEPS_PER_PUSH, type Episode } from './actor-critic.episodes.js';
import type { TrainingOperations } from './training.operations.js';

const DISCOUNT = 0.99;
/** Generalised advantage estimation: how far rewards count against the critic's word. */
const TRACE = 0.95;
const VALUE_WEIGHT = 0.5;
const ENTROPY_WEIGHT = 0.01;

/** The advantage of every push; each push is rewarded with 1. */
export const advantagesOf = ({ values, valueAfter }: Episode): readonly number[] => {
  const advantages = new Array<number>(values.length).fill(0);
  let [next, later] = [valueAfter, 0];
  for (let push = values.length - 1; push >= 0; push -= 1) {
    const value = values[push] ?? 0;
    later = 1 + DISCOUNT * next - value + DISCOUNT * TRACE * later;
    advantages[push] = later;
    next = value;
  }
  return advantages;
};

/** Episodes of different lengths as tensors `[pushes, episodes, …]`; padding weighs nothing. */
export interface Experience {
  readonly pushes: number;
  readonly episodes: number;
  readonly observations: Float32Array;
  readonly actions: Int32Array;
  /** With mean 0 and deviation 1 over all pushes, over their number. */
  readonly advantages: Float32Array;
  /** What the critic should have said, over `VALUE_SCALE`. */
  readonly returns: Float32Array;
  /** One over the number of pushes, or 0. */
  readonly shares: Float32Array;
}

export const experienceOf = (episodes: readonly Episode[]): Experience => {
  const pushes = Math.max(...episodes.map(({ actions }) => actions.length));
  const size = pushes * episodes.length;
  const played = episodes.reduce((sum, { actions }) => sum + actions.length, 0);
  const advantages = episodes.map(advantagesOf);
  const mean = advantages.flat().reduce((sum, value) => sum + value, 0) / played;
  const spread = advantages.flat().reduce((sum, value) => sum + (value - mean) ** 2, 0) / played;
  const perDeviation = 1 / (Math.sqrt(spread) + 1e-6) / played;
  const experience = {
    pushes,
    episodes: episodes.length,
    observations: new Float32Array(4 * size),
    actions: new Int32Array(size),
    advantages: new Float32Array(size),
    returns: new Float32Array(size),
    shares: new Float32Array(size),
  };
  for (const [row, { observations, actions, values }] of episodes.entries()) {
    for (const [push, action] of actions.entries()) {
      const at = push * episodes.length + row;
      const advantage = advantages[row]?.[push] ?? 0;
      experience.observations.set(observations[push] ?? [], 4 * at);
      experience.actions[at] = action;
      experience.advantages[at] = (advantage - mean) * perDeviation;
      experience.returns[at] = (advantage + (values[push] ?? 0)) / VALUE_SCALE;
      experience.shares[at] = 1 / played;
    }
  }
  return experience;
};

/**
 * Logits `[pushes * episodes, actions]`, each the mean of its own timesteps. Membranes begin at
 * rest and persist from push to push.
 * @param code `[pushes, episodes, …]`
 */
export const logitsOf = (ops: TrainingOperations, code: tf.Tensor): tf.Tensor => {
  const [pushes = 1, episodes = 1, width = 1] = code.shape;
  const rows = tf.reshape(code, [pushes, 1, episodes * width]);
  const held = tf.reshape(tf.tile(rows, [1, STEPS_PER_PUSH, 1]), [-1, episodes, width]);
  const votes = act<tf.Tensor>(ops, held, READOUT);
  const perPush = tf.reshape(votes, [pushes, STEPS_PER_PUSH, episodes * READOUT.classes]);
  const rates = tf.mul(tf.sum(perPush, 1), 1 / STEPS_PER_PUSH);
  return tf.reshape(rates, [pushes * episodes, READOUT.classes]);
};

/** A scalar. Membranes begin at rest, and the gradient goes back to the start of each episode. */
export const actorCriticLoss = (ops: TrainingOperations, experience: Experience): tf.Scalar => {
  const { pushes, episodes, observations, actions, advantages, returns, shares } = experience;
  const code = populationCode<tf.Tensor>(ops, tf.tensor(observations, [pushes, episodes, 4]));
  const logits = logitsOf(ops, code);
  const policy = crossEntropy(logits, actions, advantages);
  const weights = tf.tensor2d(shares, [pushes * episodes, 1]);
  const probabilities = tf.softmax(logits);
  const surprise = tf.mul(probabilities, tf.log(tf.add(probabilities, 1e-6)));
  const negativeEntropy = tf.sum(tf.mul(surprise, weights));
  const values = tf.reshape(judge<tf.Tensor>(ops, code), [pushes * episodes, 1]);
  const errors = tf.square(tf.sub(values, tf.tensor2d(returns, [pushes * episodes, 1])));
  const critic = tf.sum(tf.mul(errors, weights));
  const regular = tf.add(tf.mul(critic, VALUE_WEIGHT), tf.mul(negativeEntropy, ENTROPY_WEIGHT));
  return tf.add<tf.Scalar>(policy, regular);
};
