import { type NeuronSettings } from '../neurons/neuron.js';
import { type Code, type Shaped } from './tensor.js';

/** How a parameter starts in training: normal with this deviation, one number, or all numbers. */
export type Initial =
  { readonly deviation: number } | { readonly value: number } | { readonly values: Float32Array };

export interface ParameterOptions {
  readonly initial: Initial;
  /** False for weights that are drawn once and never trained (a reservoir). True by default. */
  readonly trained?: boolean;
}

export interface ProjectionOptions {
  readonly out: number;
  /** The initial deviation of weights is `gain / sqrt(inputs of a neuron)`. Default `sqrt 2`. */
  readonly gain?: number;
  /** False leaves the bias out. */
  readonly bias?: boolean;
  /** Weights that are given by design and never trained, in the stored order. */
  readonly fixed?: () => Float32Array;
}

/** Cubic B-splines on `cells` equal cells of [low, high]; inputs outside are moved to the edge. */
export interface SplineOptions {
  readonly low: number;
  readonly high: number;
  readonly cells: number;
}

export interface ConvolutionOptions extends ProjectionOptions {
  /** Odd; the input is padded by `(kernel - 1) / 2`, so that stride 1 keeps the size. */
  readonly kernel: number;
  readonly stride?: number;
}

export interface NeuronOptions<Tensor> extends Partial<NeuronSettings> {
  /**
   * `1 / tau` for each input of a batch, `[1, batch, …]` of one number each, in place of `tau`. A
   * PLIFNode then learns none.
   */
  readonly leak?: Tensor;
}

/**
 * Functions of one element. They are not counted, neither for the network nor for its baselines.
 */
export type ElementFunction =
  'relu' | 'tanh' | 'sigmoid' | 'exp' | 'log' | 'square' | 'softplus' | 'sin' | 'cos';

/**
 * The operations of a network. Two backends implement them: the metered one counts every operation
 * as it runs on typed arrays, the training one differentiates on TensorFlow.js. Their values agree.
 *
 * Axis 0 of each tensor is time (one step for a constant), axis 1 the batch. Parameters are named
 * after the operation: `linear('readout', …)` uses `readout.weight` and `readout.bias`. An
 * operation that has no name is counted with the named one before it.
 */
export interface Operations<Tensor extends Shaped> {
  /** Timesteps of this run. */
  readonly steps: number;
  /** Whether nothing may stop early: in training, and where the most that a run does is counted. */
  readonly exhaustive: boolean;

  /** A tensor of the model itself, equal in every run. */
  constant(values: Float32Array, shape: readonly number[], code?: Code): Tensor;
  parameter(name: string, shape: readonly number[], options: ParameterOptions): Tensor;

  /** `x W + b` over the last axis. */
  linear(name: string, x: Tensor, options: ProjectionOptions): Tensor;
  /** A 2-D convolution of `[steps, batch, height, width, channels]`. */
  convolution(name: string, x: Tensor, options: ConvolutionOptions): Tensor;
  /**
   * The mean over in-neighbours of `x W`, plus b. `x` is `[steps, batch, nodes, features]`;
   * `adjacency` is binary, `[1, batch, nodes, nodes]`, with an edge from row to column.
   */
  graph(name: string, x: Tensor, adjacency: Tensor, options: ProjectionOptions): Tensor;
  /** The matrix product of the last two axes, `[…, m, k] [… , k, n]`; leading axes are equal. */
  product(a: Tensor, b: Tensor): Tensor;

  /**
   * The `cells + 3` basis functions at each element of the last axis, which grows by that factor.
   * Not differentiated: `x` is data.
   */
  splines(name: string, x: Tensor, options: SplineOptions): Tensor;

  /** Spikes of a layer of neurons, from the state that the run holds under its name. */
  neuron(name: string, current: Tensor, settings?: NeuronOptions<Tensor>): Tensor;
  /** Puts every neuron back at rest, and forgets what was remembered. */
  rest(): void;
  /**
   * The value of `remember` under a name, in this run or the one before it in a session; else
   * `start`.
   */
  recall(name: string, shape: readonly number[], start: number): Tensor;
  remember(name: string, x: Tensor): void;
  /** Repeats a tensor of one step for `steps` steps: a constant current. */
  hold(x: Tensor, steps?: number): Tensor;
  /**
   * Computes one more timestep of a constant input. Its ANN runs once, so the ANN baseline does not
   * count it again.
   */
  again(compute: () => Tensor): Tensor;

  /** Elementwise; shapes broadcast as in NumPy. */
  add(a: Tensor, b: Tensor): Tensor;
  subtract(a: Tensor, b: Tensor): Tensor;
  multiply(a: Tensor, b: Tensor): Tensor;
  scale(x: Tensor, factor: number): Tensor;
  map(x: Tensor, element: ElementFunction): Tensor;
  /** Over the last axis. */
  softmax(x: Tensor): Tensor;

  /** Over one axis, which disappears. Axis 0 or 1 stays, with length 1. */
  mean(x: Tensor, axis: number): Tensor;
  sum(x: Tensor, axis: number): Tensor;

  reshape(x: Tensor, shape: readonly number[]): Tensor;
  transpose(x: Tensor, permutation: readonly number[]): Tensor;
  concat(tensors: readonly Tensor[], axis: number): Tensor;
  slice(x: Tensor, axis: number, from: number, length: number): Tensor;

  /** The numbers of a tensor, row-major, for a decision of the network. Counted by nothing. */
  valuesOf(x: Tensor): Float32Array;
  /** Leaves numbers for `Architecture.describe`. A later note of the same name replaces them. */
  note(name: string, values: ArrayLike<number>): void;
}
