/** Layers of ContinuousLIFNode over all timesteps, by the same exact solution that serves them. */
import * as tf from '@tensorflow/tfjs-core';
import { stepContinuousLif, timeToThreshold } from '#engines/spiking/neurons/continuous-lif.js';
import type { NeuronSettings } from '#engines/spiking/neurons/neuron.js';
import { SURROGATES } from '#engines/spiking/neurons/surrogates.js';
import type { NeuronTraining } from './neuron.kernels.js';
import { viewsOf, type WasmMemory } from './wasm-memory.js';

export const CONTINUOUS_FORWARD = 'ContinuousNeurons';
export const CONTINUOUS_BACKWARD = 'ContinuousNeuronsGradient';

type KernelArguments = Parameters<tf.KernelFunc>[0];
type Views = readonly [Float32Array, Float32Array, Float32Array, Float32Array];

export interface Slopes {
  readonly ofMembrane: number;
  readonly ofCurrent: number;
}

const limitOf = (current: number, { tau, decayInput, resetTo }: NeuronSettings): number =>
  (resetTo ?? 0) + (decayInput ? current : current * tau);

/** Derivatives of the membrane after a step in which nothing fires, or as if nothing did. */
const slopesOfRest = ({ tau, decayInput }: NeuronSettings, time = 1): Slopes => {
  const kept = Math.exp(-time / tau);
  return { ofMembrane: kept, ofCurrent: (1 - kept) * (decayInput ? 1 : tau) };
};

/**
 * Derivatives of the membrane after a step, by the membrane before it and by the current.
 *
 * The time of a spike counts as given: only what is integrated after it has a slope. This is what
 * detaching the reset is to a neuron of steps.
 */
export const slopesOfStep = (
  membrane: number,
  current: number,
  settings: NeuronSettings,
): Slopes => {
  const crossing = timeToThreshold(membrane, limitOf(current, settings), settings);
  if (crossing >= 1) return slopesOfRest(settings);
  const after = slopesOfRest(settings, 1 - crossing);
  // A soft reset hands on what a membrane had above the threshold when the step began.
  const handsOn = settings.resetTo === null && membrane >= settings.threshold;
  return { ...after, ofMembrane: handsOn ? after.ofMembrane : 0 };
};

const settingsOf = (attributes: KernelArguments['attrs'], leak: number): NeuronTraining => ({
  ...(attributes as unknown as NeuronTraining),
  tau: 1 / leak,
});

/** Outputs the spikes and the membranes before each step, both `[steps, …]`. */
const forward = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo[] => {
  const memory = backend as WasmMemory;
  const { x, leak } = inputs as { x: tf.TensorInfo; leak: tf.TensorInfo };
  const outputs = [memory.makeOutput(x.shape, 'float32'), memory.makeOutput(x.shape, 'float32')];
  const views = viewsOf(memory, x, leak, ...outputs) as unknown as Views;
  const [current, rate, spikes, before] = views;
  const settings = Array.from(rate, (leakOfGroup) => settingsOf(attrs, leakOfGroup));
  const size = current.length / (x.shape[0] ?? 1);
  const group = size / rate.length;
  const membrane = new Float32Array(size).fill(settings[0]?.resetTo ?? 0);
  for (let place = 0; place < current.length; place += 1) {
    const neuron = place % size;
    const own = settings[Math.floor(neuron / group)] as NeuronTraining;
    const start = membrane[neuron] ?? 0;
    const step = stepContinuousLif(start, current[place] ?? 0, own);
    before[place] = start;
    spikes[place] = step.firedAt === null ? 0 : 1;
    membrane[neuron] = step.membrane;
  }
  return outputs;
};

/** Gradients of the input, `[steps, …]`. Leaks are given and have none. */
const backward = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo[] => {
  const memory = backend as WasmMemory;
  const { dy, x, potentials, leak } = inputs as Record<string, tf.TensorInfo> & {
    x: tf.TensorInfo;
    leak: tf.TensorInfo;
  };
  const output = memory.makeOutput(x.shape, 'float32');
  const none = memory.makeOutput(leak.shape, 'float32');
  const tensors = [dy, x, potentials, leak, output, none] as tf.TensorInfo[];
  const [upstream, current, before, rate, dx, dLeak] = viewsOf(memory, ...tensors) as unknown as [
    ...Views,
    Float32Array,
    Float32Array,
  ];
  const settings = Array.from(rate, (leakOfGroup) => settingsOf(attrs, leakOfGroup));
  const size = current.length / (x.shape[0] ?? 1);
  const group = size / rate.length;
  const fromLater = new Float64Array(size);
  for (let place = current.length - 1; place >= 0; place -= 1) {
    const neuron = place % size;
    const own = settings[Math.floor(neuron / group)] as NeuronTraining;
    const [membrane, drive] = [before[place] ?? 0, current[place] ?? 0];
    const unspiked = slopesOfRest(own);
    const limit = limitOf(drive, own);
    const potential = limit + (membrane - limit) * unspiked.ofMembrane;
    const spiking = (upstream[place] ?? 0) * SURROGATES[own.surrogate](potential - own.threshold);
    const passed = slopesOfStep(membrane, drive, own);
    const later = fromLater[neuron] ?? 0;
    dx[place] = spiking * unspiked.ofCurrent + later * passed.ofCurrent;
    fromLater[neuron] = spiking * unspiked.ofMembrane + later * passed.ofMembrane;
  }
  dLeak.fill(0);
  return [output, none];
};

/** Registers both kernels; to be called once. */
export const registerContinuousNeurons = (): void => {
  tf.registerKernel({ kernelName: CONTINUOUS_FORWARD, backendName: 'wasm', kernelFunc: forward });
  tf.registerKernel({ kernelName: CONTINUOUS_BACKWARD, backendName: 'wasm', kernelFunc: backward });
};
