import * as tf from '@tensorflow/tfjs-core';
import { leakParameterOf, type NeuronSettings } from '#engines/spiking/neurons/neuron.js';
import { outputLength } from '#engines/spiking/operations/convolution.kernels.js';
import type {
  ConvolutionOptions,
  ElementFunction,
  NeuronOptions,
  Operations,
  ParameterOptions,
  ProjectionOptions,
  SplineOptions,
} from '#engines/spiking/operations/operations.js';
import { splineBasis } from '#engines/spiking/operations/splines.js';
import { axisLength, sizeOf } from '#engines/spiking/operations/tensor.js';
import { linear } from '#engines/training/model/llama.gradients.js';
import { spike, type NeuronTraining } from './neuron.kernels.js';
import type { ParameterStore } from './parameter.store.js';
import { patches } from './patches.kernels.js';
import { sliceProduct } from './slice-products.kernel.js';

export interface TrainingRun {
  readonly parameters: ParameterStore;
  readonly steps: number;
  readonly neuron: NeuronTraining;
}

const ELEMENT_FUNCTIONS: Readonly<Record<ElementFunction, (x: tf.Tensor) => tf.Tensor>> = {
  relu: tf.relu,
  tanh: tf.tanh,
  sigmoid: tf.sigmoid,
  exp: tf.exp,
  log: tf.log,
  square: tf.square,
  sin: tf.sin,
  cos: tf.cos,
  softplus: (x) => tf.log(tf.add(tf.exp(x), 1)),
};

/** Differentiates what a network does. Projections are plain products of two matrices. */
export class TrainingOperations implements Operations<tf.Tensor> {
  readonly exhaustive = true;

  constructor(private readonly run: TrainingRun) {}

  get steps(): number {
    return this.run.steps;
  }

  constant(values: Float32Array, shape: readonly number[]): tf.Tensor {
    return tf.tensor(values, [...shape]);
  }

  parameter(name: string, shape: readonly number[], options: ParameterOptions): tf.Tensor {
    return this.run.parameters.get(name, shape, options);
  }

  linear(name: string, x: tf.Tensor, options: ProjectionOptions): tf.Tensor {
    const inputs = axisLength(x, -1);
    const rows = tf.reshape(x, [x.size / inputs, inputs]);
    const y = this.#project(name, rows, [inputs, options.out], options);
    return tf.reshape(y, [...x.shape.slice(0, -1), options.out]);
  }

  convolution(name: string, x: tf.Tensor, options: ConvolutionOptions): tf.Tensor {
    const { out, kernel, stride = 1 } = options;
    const [height, width, channels] = [axisLength(x, 2), axisLength(x, 3), axisLength(x, 4)];
    const pictures = axisLength(x, 0) * axisLength(x, 1);
    const flat = tf.reshape(x, [pictures, height, width, channels]);
    const seen = patches(flat, { height, width, channels, kernel, stride });
    const y = this.#project(name, seen, [kernel, kernel, channels, out], options);
    const [rows, columns] = [outputLength(height, stride), outputLength(width, stride)];
    return tf.reshape(y, [...x.shape.slice(0, 2), rows, columns, out]);
  }

  graph(
    name: string,
    x: tf.Tensor,
    adjacency: tf.Tensor,
    { out, bias = true, ...options }: ProjectionOptions,
  ): tf.Tensor {
    const messages = this.linear(name, x, { ...options, out, bias: false });
    const [steps, batch, nodes] = [axisLength(x, 0), axisLength(x, 1), axisLength(x, 2)];
    const incoming = tf.tidy(() => {
      const edges = tf.transpose(adjacency, [0, 1, 3, 2]);
      const mean = tf.div(edges, tf.maximum(tf.sum(edges, -1, true), 1));
      const repeats = (steps * batch * nodes * nodes) / mean.size;
      return tf.tile(tf.reshape(mean, [-1, nodes, nodes]), [repeats, 1, 1]);
    });
    const sums = sliceProduct(incoming, tf.reshape(messages, [steps * batch, nodes, out]));
    const means = tf.reshape(sums, messages.shape);
    return bias ? tf.add(means, this.#bias(name, out)) : means;
  }

  product(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
    const [m, k, n] = [axisLength(a, -2), axisLength(a, -1), axisLength(b, -1)];
    const y = sliceProduct(tf.reshape(a, [-1, m, k]), tf.reshape(b, [-1, k, n]));
    return tf.reshape(y, [...a.shape.slice(0, -1), n]);
  }

  splines(_name: string, x: tf.Tensor, options: SplineOptions): tf.Tensor {
    const width = axisLength(x, -1) * (options.cells + 3);
    const basis = splineBasis(x.dataSync<'float32'>(), options);
    return tf.tensor(basis, [...x.shape.slice(0, -1), width]);
  }

  neuron(
    name: string,
    current: tf.Tensor,
    { leak, ...changed }: NeuronOptions<tf.Tensor> = {},
  ): tf.Tensor {
    const settings = { ...this.run.neuron, ...changed };
    if (leak !== undefined && settings.model === 'ContinuousLIFNode') {
      throw new RangeError(
        `${name} generates its leaks, and continuous neurons train with given ones`,
      );
    }
    const leaks = leak === undefined ? this.#leak(name, settings) : tf.reshape(leak, [leak.size]);
    return spike(current, leaks, settings);
  }

  recall(_name: string, shape: readonly number[], start: number): tf.Tensor {
    return tf.fill([...shape], start);
  }

  /** Every run of training starts afresh. */
  remember(): void {
    return;
  }

  /** Neurons are at rest whenever a layer of them is called. */
  rest(): void {
    return;
  }

  again(compute: () => tf.Tensor): tf.Tensor {
    return compute();
  }

  hold(x: tf.Tensor, steps = this.steps): tf.Tensor {
    return tf.mul(x, tf.ones([steps, ...x.shape.slice(1).map(() => 1)]));
  }

  add(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
    return tf.add(a, b);
  }

  subtract(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
    return tf.sub(a, b);
  }

  multiply(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
    return tf.mul(a, b);
  }

  scale(x: tf.Tensor, factor: number): tf.Tensor {
    return tf.mul(x, factor);
  }

  map(x: tf.Tensor, element: ElementFunction): tf.Tensor {
    return ELEMENT_FUNCTIONS[element](x);
  }

  softmax(x: tf.Tensor): tf.Tensor {
    return tf.softmax(x);
  }

  mean(x: tf.Tensor, axis: number): tf.Tensor {
    return tf.mul(this.sum(x, axis), 1 / axisLength(x, axis));
  }

  sum(x: tf.Tensor, axis: number): tf.Tensor {
    const at = axis < 0 ? axis + x.rank : axis;
    return tf.sum(x, at, at < 2);
  }

  reshape(x: tf.Tensor, shape: readonly number[]): tf.Tensor {
    return tf.reshape(x, [...shape]);
  }

  transpose(x: tf.Tensor, permutation: readonly number[]): tf.Tensor {
    return tf.transpose(x, [...permutation]);
  }

  concat(tensors: readonly tf.Tensor[], axis: number): tf.Tensor {
    return tf.concat([...tensors], axis);
  }

  slice(x: tf.Tensor, axis: number, from: number, length: number): tf.Tensor {
    const at = axis < 0 ? axis + x.rank : axis;
    const begin = x.shape.map((_, place) => (place === at ? from : 0));
    return tf.slice(
      x,
      begin,
      x.shape.map((size, place) => (place === at ? length : size)),
    );
  }

  valuesOf(x: tf.Tensor): Float32Array {
    return x.dataSync<'float32'>();
  }

  /** Training describes no run. */
  note(): void {
    return;
  }

  /** `rows W + b`; the weight is stored in `shape`, whose last axis is the outputs. */
  #project(
    name: string,
    rows: tf.Tensor,
    shape: readonly number[],
    { out, gain = Math.SQRT2, bias = true, fixed }: ProjectionOptions,
  ): tf.Tensor {
    const inputs = sizeOf(shape.slice(0, -1));
    const drawn = { initial: { deviation: gain / Math.sqrt(inputs) } };
    const given = fixed && { initial: { values: fixed() }, trained: false };
    const weight = this.parameter(`${name}.weight`, shape, given ?? drawn);
    const y = linear(rows, tf.reshape(weight, [inputs, out]));
    return bias ? tf.add(y, this.#bias(name, out)) : y;
  }

  #bias(name: string, out: number): tf.Tensor {
    return this.parameter(`${name}.bias`, [out], { initial: { value: 0 } });
  }

  #leak(name: string, { model, tau }: NeuronSettings): tf.Tensor {
    if (model !== 'PLIFNode') return tf.tensor1d([1 / tau]);
    const initial = { value: leakParameterOf(tau) };
    return tf.sigmoid(this.parameter(`${name}.leak`, [1], { initial }));
  }
}
