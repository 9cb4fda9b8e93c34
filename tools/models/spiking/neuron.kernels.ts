/**
 * Layers of LIF and PLIF neurons over all timesteps as one kernel, forwards and backwards through
 * time. TensorFlow.js would need ten kernels for each timestep.
 */
import * as tf from '@tensorflow/tfjs-core';
import {
  recurrenceOf,
  type NeuronSettings,
  type Recurrence,
} from '#engines/spiking/neurons/neuron.js';
import { SURROGATES, type SurrogateName } from '#engines/spiking/neurons/surrogates.js';
import {
  CONTINUOUS_BACKWARD,
  CONTINUOUS_FORWARD,
  registerContinuousNeurons,
} from './continuous-neuron.kernels.js';
import { viewsOf, type WasmMemory } from './wasm-memory.js';

const FORWARD = 'SpikingNeurons';
const BACKWARD = 'SpikingNeuronsGradient';

export interface NeuronTraining extends NeuronSettings {
  readonly surrogate: SurrogateName;
  /** Whether the gradient ignores the reset, as most training recipes do. */
  readonly detachReset: boolean;
}

type KernelArguments = Parameters<tf.KernelFunc>[0];

/** Outputs the spikes and the potentials before the reset, both `[steps, …]`. */
const forward = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo[] => {
  const memory = backend as WasmMemory;
  const { x, leak } = inputs as { x: tf.TensorInfo; leak: tf.TensorInfo };
  const settings = attrs as unknown as NeuronTraining;
  const outputs = [memory.makeOutput(x.shape, 'float32'), memory.makeOutput(x.shape, 'float32')];
  const [current, rate, spikes, potentials] = viewsOf(memory, x, leak, ...outputs) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const recurrences = Array.from(rate, (leakOfGroup) => recurrenceOf(settings, leakOfGroup));
  const { threshold, resetTo } = settings;
  const size = current.length / (x.shape[0] ?? 1);
  const group = size / rate.length;
  const membrane = new Float32Array(size).fill(resetTo ?? 0);
  for (let at = 0; at < current.length; at += group) {
    const first = at % size;
    const { keep, gain, rest } = recurrences[Math.floor(first / group)] as Recurrence;
    for (let place = at; place < at + group; place += 1) {
      const neuron = first + place - at;
      const charged = keep * (membrane[neuron] ?? 0) + gain * (current[place] ?? 0) + rest;
      const potential = Math.fround(charged);
      const fires = potential >= threshold;
      potentials[place] = potential;
      spikes[place] = fires ? 1 : 0;
      membrane[neuron] = fires ? (resetTo ?? potential - threshold) : potential;
    }
  }
  return outputs;
};

/** Gradients of the input, `[steps, …]`, and of the leaks, `[groups]`. */
const backward = ({ inputs, attrs, backend }: KernelArguments): tf.TensorInfo[] => {
  const memory = backend as WasmMemory;
  const { dy, x, spikes, potentials, leak } = inputs as Record<string, tf.TensorInfo> & {
    x: tf.TensorInfo;
  };
  const settings = attrs as unknown as NeuronTraining;
  const outputs = [
    memory.makeOutput(x.shape, 'float32'),
    memory.makeOutput(leak?.shape ?? [1], 'float32'),
  ];
  const tensors = [dy, x, spikes, potentials, leak] as tf.TensorInfo[];
  const [upstream, current, fired, potential, rate, dx, dLeak] = viewsOf(
    memory,
    ...tensors,
    ...outputs,
  ) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const recurrences = Array.from(rate, (leakOfGroup) => recurrenceOf(settings, leakOfGroup));
  const { threshold, resetTo, detachReset, decayInput } = settings;
  const slope = SURROGATES[settings.surrogate];
  const rest = resetTo ?? 0;
  const size = current.length / (x.shape[0] ?? 1);
  const group = size / rate.length;
  const fromLater = new Float64Array(size);
  const leakGradients = new Float64Array(rate.length);
  for (let at = current.length - group; at >= 0; at -= group) {
    const first = at % size;
    const groupOf = Math.floor(first / group);
    const { keep, gain } = recurrences[groupOf] as Recurrence;
    let leakGradient = 0;
    for (let place = at; place < at + group; place += 1) {
      const neuron = first + place - at;
      const charged = potential[place] ?? 0;
      const step = slope(charged - threshold);
      const jump = detachReset ? 0 : (resetTo === null ? -threshold : resetTo - charged) * step;
      const passed = (resetTo !== null && fired[place] === 1 ? 0 : 1) + jump;
      const own = (upstream[place] ?? 0) * step + (fromLater[neuron] ?? 0) * passed;
      dx[place] = own * gain;
      fromLater[neuron] = own * keep;
      const before = place < size ? rest : afterReset(settings, potential, fired, place - size);
      leakGradient += own * ((decayInput ? (current[place] ?? 0) : 0) - before + rest);
    }
    leakGradients[groupOf] = (leakGradients[groupOf] ?? 0) + leakGradient;
  }
  dLeak.set(leakGradients);
  return outputs;
};

const afterReset = (
  { threshold, resetTo }: NeuronSettings,
  potential: Float32Array,
  fired: Float32Array,
  place: number,
): number => {
  const charged = potential[place] ?? 0;
  return fired[place] === 1 ? (resetTo ?? charged - threshold) : charged;
};

/** Registers the kernels of all neurons; to be called once. */
export const registerNeurons = (): void => {
  registerContinuousNeurons();
  tf.registerKernel({ kernelName: FORWARD, backendName: 'wasm', kernelFunc: forward });
  tf.registerKernel({ kernelName: BACKWARD, backendName: 'wasm', kernelFunc: backward });
};

/**
 * Spikes of `x` `[steps, …]`; `leak` is `[groups]`, `1 / tau` of each equal share of the
 * neurons of a step. Membranes start at rest.
 */
export const spike = (x: tf.Tensor, leak: tf.Tensor, settings: NeuronTraining): tf.Tensor => {
  const attributes = { ...settings };
  const isContinuous = settings.model === 'ContinuousLIFNode';
  const [forwardKernel, backwardKernel] = isContinuous
    ? [CONTINUOUS_FORWARD, CONTINUOUS_BACKWARD]
    : [FORWARD, BACKWARD];
  const layer = tf.customGrad((...inputsAndSave) => {
    const [current, rate] = inputsAndSave as [tf.Tensor, tf.Tensor];
    const save = inputsAndSave[2] as unknown as tf.GradSaveFunc;
    const outputs = tf
      .engine()
      .runKernel(
        forwardKernel,
        { x: current, leak: rate },
        attributes as unknown as tf.NamedAttrMap,
      );
    const [spikes, potentials] = outputs as unknown as [tf.Tensor, tf.Tensor];
    save([current, rate, spikes, potentials]);
    const gradFunc = (dy: tf.Tensor, kept: tf.Tensor[]): tf.Tensor[] => {
      const [x0, leak0, spikes0, potentials0] = kept as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
      ];
      const inputs = { dy, x: x0, spikes: spikes0, potentials: potentials0, leak: leak0 };
      return tf
        .engine()
        .runKernel(
          backwardKernel,
          inputs,
          attributes as unknown as tf.NamedAttrMap,
        ) as unknown as tf.Tensor[];
    };
    return { value: spikes, gradFunc };
  });
  return layer(x, leak);
};
