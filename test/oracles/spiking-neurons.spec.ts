/** SpikingJelly and snnTorch against the engine's neurons, and their gradients. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import {
  leakOf,
  leakParameterOf,
  stepLif,
  type NeuronSettings,
} from '#engines/spiking/neurons/neuron.js';
import { SURROGATES, type SurrogateName } from '#engines/spiking/neurons/surrogates.js';
import { startTensorFlow } from '#engines/training/gradient.shard.js';
import { registerGradients } from '../../tools/models/spiking/gradients.js';
import { registerNeurons, spike } from '../../tools/models/spiking/neuron.kernels.js';
import { neuronVectors, type NeuronRun } from './spiking/vectors.js';

const { runs, surrogates, snntorch, onThreshold } = neuronVectors();

type Rows = readonly (readonly number[])[];

const play = (
  inputs: Rows,
  settings: NeuronSettings,
): { readonly spikes: number[][]; readonly membranes: number[][] } => {
  const size = inputs[0]?.length ?? 0;
  const membrane = new Float32Array(size).fill(settings.resetTo ?? 0);
  const spikes: number[][] = [];
  const membranes: number[][] = [];
  for (const row of inputs) {
    const fired = new Float32Array(size);
    stepLif(membrane, Float32Array.from(row), fired, 1 / settings.tau, settings);
    spikes.push([...fired]);
    membranes.push([...membrane]);
  }
  return { spikes, membranes };
};

const furthest = (one: Rows, other: Rows): number =>
  Math.max(
    ...one.flatMap((row, step) =>
      row.map((value, at) => Math.abs(value - (other[step]?.[at] ?? NaN))),
    ),
  );

const settingsOf = ({ model, tau, decayInput, resetTo }: NeuronRun): NeuronSettings => ({
  model,
  tau,
  decayInput,
  resetTo,
  threshold: 1,
});

const nameOf = ({ model, tau, decayInput, resetTo, detachReset }: NeuronRun): string =>
  `${model}(tau=${tau}, decay_input=${decayInput}, v_reset=${resetTo}, ` +
  `detach_reset=${detachReset})`;

const named = runs.map((run) => [nameOf(run), run] as const);

describe('SpikingJelly', () => {
  it('was recorded with spikes and with silence in each run', () => {
    expect(runs).toHaveLength(32);
    for (const { spikes } of runs) expect(new Set(spikes.flat())).toEqual(new Set([0, 1]));
  });

  it.each(named)('%s has the same spikes, and membranes to 1e-5', (_name, run) => {
    const played = play(run.inputs, settingsOf(run));
    expect(played.spikes).toEqual(run.spikes);
    expect(furthest(played.membranes, run.membranes)).toBeLessThan(1e-5);
  });

  it.each(Object.entries(surrogates))('has the slope of %s to 1e-5', (name, { x, slope }) => {
    const own = x.map(SURROGATES[name as SurrogateName]);
    expect(furthest([own], [slope])).toBeLessThan(1e-5);
  });
});

describe('gradients through time', () => {
  beforeAll(async () => {
    await startTensorFlow();
    registerGradients();
    registerNeurons();
  });

  it.each(named)('%s agrees to 1e-5', (_name, run) => {
    const settings = {
      ...settingsOf(run),
      surrogate: 'atan' as const,
      detachReset: run.detachReset,
    };
    const leakParameter = leakParameterOf(run.tau);
    const loss = (x: tf.Tensor, parameter: tf.Tensor): tf.Scalar =>
      tf.sum(
        tf.mul(spike(x, tf.sigmoid(parameter), settings), tf.tensor2d(run.weights.flat(), shape)),
        [0, 1],
      );
    const shape: [number, number] = [run.inputs.length, run.inputs[0]?.length ?? 0];
    const inputs = tf.tensor2d(run.inputs.flat(), shape);
    const [dx, dParameter] = tf.grads(loss)([inputs, tf.tensor1d([leakParameter])]);
    const [own, parameter] = [dx?.arraySync() as number[][], dParameter?.dataSync()[0] ?? NaN];
    expect(furthest(own, run.inputGradients)).toBeLessThan(1e-5);
    if (run.leakParameterGradient !== null) {
      expect(Math.abs(parameter - run.leakParameterGradient)).toBeLessThan(1e-5);
    }
  });

  it('takes the parameter of a PLIFNode as SpikingJelly defines it', () => {
    expect(leakOf(leakParameterOf(5))).toBeCloseTo(1 / 5, 12);
  });
});

describe('snnTorch', () => {
  const settings: NeuronSettings = {
    model: 'LIFNode',
    tau: snntorch.tau,
    threshold: 1,
    resetTo: null,
    decayInput: false,
  };
  const { spikes, membranes } = play(snntorch.inputs, settings);

  it('is the same neuron with reset_delay=False', () => {
    expect(spikes).toEqual(snntorch.immediate.spikes);
    expect(furthest(membranes, snntorch.immediate.membranes)).toBeLessThan(1e-5);
  });

  it('subtracts the threshold one step later with its default, reset_delay=True', () => {
    const neurons = [...(spikes[0] ?? []).keys()];
    const first = neurons.map((at) => spikes.findIndex((row) => row[at] === 1));
    const excess = neurons.map((at) => {
      const step = first[at] ?? -1;
      return (snntorch.delayed.membranes[step]?.[at] ?? NaN) - (membranes[step]?.[at] ?? NaN);
    });
    expect(excess.every((value) => Math.abs(value - 1) < 1e-5)).toBe(true);
  });

  it('does not fire exactly on the threshold, where SpikingJelly and this engine do', () => {
    expect(onThreshold).toEqual({ spikingjelly: 1, snntorch: 0 });
    expect(play([[1]], { ...settings, tau: 2 }).spikes).toEqual([[1]]);
  });
});
