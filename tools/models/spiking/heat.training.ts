/**
 * Teaches a network the heat equation from the equation alone: no temperature is ever shown to it.
 */
import * as tf from '@tensorflow/tfjs-core';
import { DEFAULT_NEURON } from '#engines/spiking/neurons/neuron.js';
import {
  expectedTemperature,
  PINN_WIDTH,
} from '#engines/spiking/models/physics-informed-pinn.model.js';
import { AdamW } from '#engines/training/adam-w.optimizer.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import type { ParameterStore } from './parameter.store.js';
import { DIFFUSIVITY, initialTemperature } from './tasks/heat.task.js';
import { TrainingOperations } from './training.operations.js';

const ITERATIONS = 2500;
const POINTS = 96;
const LEARNING_RATE = 8e-3;
/** How much the start and the ends of the rod weigh against the equation inside. */
const BORDER_WEIGHT = 10;

/** A value with its derivatives by x, by t and twice by x. */
interface Jet {
  readonly value: tf.Tensor;
  readonly byX: tf.Tensor;
  readonly byT: tf.Tensor;
  readonly byXX: tf.Tensor;
}

const tanhOf = ({ value, byX, byT, byXX }: Jet): Jet => {
  const y = tf.tanh(value);
  const slope = tf.sub(1, tf.square(y));
  const bend = tf.mul(tf.mul(tf.mul(y, slope), -2), tf.square(byX));
  return {
    value: y,
    byX: tf.mul(slope, byX),
    byT: tf.mul(slope, byT),
    byXX: tf.add(tf.mul(slope, byXX), bend),
  };
};

const linearOf = (ops: TrainingOperations, name: string, jet: Jet, out: number): Jet => {
  const derivative = (x: tf.Tensor): tf.Tensor => ops.linear(name, x, { out, bias: false });
  return {
    value: ops.linear(name, jet.value, { out }),
    byX: derivative(jet.byX),
    byT: derivative(jet.byT),
    byXX: derivative(jet.byXX),
  };
};

/** `u_t - DIFFUSIVITY u_xx` at places and times `[1, n, 2]`. */
const residual = (ops: TrainingOperations, where: tf.Tensor): tf.Tensor => {
  const along = (values: readonly number[]): tf.Tensor =>
    tf.mul(tf.tensor([...values], [1, 1, 2]), tf.onesLike(where));
  const start: Jet = {
    value: where,
    byX: along([1, 0]),
    byT: along([0, 1]),
    byXX: tf.zerosLike(where),
  };
  const first = tanhOf(linearOf(ops, 'pinn.first', start, PINN_WIDTH));
  const second = tanhOf(linearOf(ops, 'pinn.second', first, PINN_WIDTH));
  const { byT, byXX } = linearOf(ops, 'pinn.last', second, 1);
  return tf.sub(byT, tf.mul(byXX, DIFFUSIVITY));
};

const meanSquare = (x: tf.Tensor): tf.Tensor => tf.mul(tf.sum(tf.square(x), [0, 1, 2]), 1 / x.size);

const places = (points: readonly (readonly [number, number])[]): tf.Tensor =>
  tf.tensor(points.flat(), [1, points.length, 2]);

const draw = (point: () => readonly [number, number]): readonly (readonly [number, number])[] =>
  Array.from({ length: POINTS }, point);

/** How far the network is from the equation, from the start and from the cold ends. */
const physicsLoss = (ops: TrainingOperations, random: SeededRandom): tf.Tensor => {
  const inside = draw(() => [random.next(), random.next()]);
  const start = draw(() => [random.next(), 0]);
  const ends = draw(() => [random.below(2), random.next()]);
  const given = [...start.map(([x]) => initialTemperature(x)), ...ends.map(() => 0)];
  const expected = expectedTemperature<tf.Tensor>(ops, places([...start, ...ends]));
  const border = tf.sub(expected, tf.tensor(given, [1, given.length, 1]));
  return tf.add(
    meanSquare(residual(ops, places(inside))),
    tf.mul(meanSquare(border), BORDER_WEIGHT),
  );
};

/** Trains the parameters `pinn.*` and freezes them. */
export const learnHeat = (parameters: ParameterStore, seed: number): void => {
  const neuron = { ...DEFAULT_NEURON, surrogate: 'atan' as const, detachReset: true };
  const ops = new TrainingOperations({ parameters, steps: 1, neuron });
  const random = seededRandom(seed);
  tf.tidy(() => physicsLoss(ops, random));
  const optimizer = new AdamW();
  const variables = parameters.trained;
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const { value, grads } = tf.variableGrads(
      () => physicsLoss(ops, random) as tf.Scalar,
      [...variables.values()],
    );
    const rate = LEARNING_RATE * 0.5 * (1.02 + Math.cos((Math.PI * iteration) / ITERATIONS));
    optimizer.step(variables, grads, rate);
    tf.dispose([value, grads]);
  }
  parameters.freeze();
};
