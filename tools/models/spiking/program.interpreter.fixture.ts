/**
 * Runs a network from its card and its weights, by what `models/spiking/README.md` says of the
 * operations and nothing else: neither file imports code of the project.
 */
import {
  at,
  convolution,
  elementwise,
  graph,
  joined,
  product,
  type ProgramStep,
  reduced,
  rowsTimes,
  sizeOf,
  sliced,
  softmax,
  splines,
  type Tensor,
  transposed,
} from './program.kernels.fixture.js';

export interface Program {
  readonly operations: readonly ProgramStep[];
  readonly output: number;
  readonly example: { readonly input: readonly number[]; readonly logits: readonly number[] };
}

const ELEMENTS: Readonly<Record<string, (value: number) => number>> = {
  relu: (value) => Math.max(0, value),
  tanh: Math.tanh,
  sigmoid: (value) => 1 / (1 + Math.exp(-value)),
  exp: Math.exp,
  log: Math.log,
  square: (value) => value * value,
  softplus: (value) => Math.log1p(Math.exp(value)),
  sin: Math.sin,
  cos: Math.cos,
};

const PAIRS: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
};

class Interpreter {
  readonly #tensors: (Tensor | undefined)[] = [];
  readonly #membranes = new Map<string, Float32Array>();

  constructor(
    private readonly program: Program,
    private readonly weights: ReadonlyMap<string, Tensor>,
  ) {}

  logits(input: readonly number[]): Float32Array {
    for (const step of this.program.operations) this.#tensors.push(this.#run(step, input));
    return this.#tensor(this.program.output).values;
  }

  #tensor(id: unknown): Tensor {
    const found = this.#tensors[Number(id)];
    if (found === undefined) throw new Error(`operation ${String(id)} gives no tensor`);
    return found;
  }

  #weight(name: unknown): Tensor {
    const found = this.weights.get(String(name));
    if (found === undefined) throw new Error(`the weights have no ${String(name)}`);
    return found;
  }

  #run(step: ProgramStep, input: readonly number[]): Tensor | undefined {
    const ids = (step['of'] ?? []) as readonly number[];
    const [x, y] = ids.map((id) => this.#tensor(id)) as [Tensor, Tensor];
    const shape = (step['shape'] ?? []) as readonly number[];
    const bias = step['bias'] === undefined ? undefined : this.#weight(step['bias']);
    const element = ELEMENTS[step.op];
    if (element) return { shape: x.shape, values: x.values.map(element) };
    const pair = PAIRS[step.op];
    if (pair) return elementwise(x, y, pair);
    switch (step.op) {
      case 'input':
        return { shape, values: Float32Array.from(input) };
      case 'constant':
        return { shape, values: constantOf(step, sizeOf(shape)) };
      case 'parameter':
        return this.#weight(step['weight']);
      case 'rest':
        this.#membranes.clear();
        return undefined;
      case 'linear':
        return rowsTimes(x, this.#weight(step['weight']), bias);
      case 'convolution':
        return convolution(x, this.#weight(step['weight']), bias, step);
      case 'graph':
        return graph(x, y, this.#weight(step['weight']), bias);
      case 'product':
        return product(x, y);
      case 'splines':
        return splines(x, step);
      case 'neuron':
        return this.#neuron(x, step);
      case 'hold': {
        const steps = Number(step['steps']);
        const values = Array.from({ length: steps }, () => [...x.values]).flat();
        return { shape: [steps, ...x.shape.slice(1)], values: Float32Array.from(values) };
      }
      case 'scale':
        return { shape: x.shape, values: x.values.map((value) => value * Number(step['factor'])) };
      case 'softmax':
        return softmax(x);
      case 'sum':
      case 'mean':
        return reduced(x, Number(step['axis']), step.op === 'mean');
      case 'reshape':
        return { shape, values: x.values };
      case 'transpose':
        return transposed(x, step['permutation'] as readonly number[]);
      case 'concat':
        return joined(
          ids.map((id) => this.#tensor(id)),
          Number(step['axis']),
        );
      case 'slice':
        return sliced(x, step);
      default:
        throw new Error(`an unknown operation: ${step.op}`);
    }
  }

  /** Leaks: `1 / tau`, the sigmoid of a weight, or a tensor with one for an equal share each. */
  #leaks(step: ProgramStep): ArrayLike<number> {
    if (step['leakOf'] !== undefined) return this.#tensor(step['leakOf']).values;
    if (step['leakWeight'] === undefined) return [1 / Number(step['tau'])];
    return Array.from(this.#weight(step['leakWeight']).values, (x) => 1 / (1 + Math.exp(-x)));
  }

  #neuron(current: Tensor, step: ProgramStep): Tensor {
    const [steps = 1] = current.shape;
    const size = current.values.length / steps;
    const resetTo = step['resetTo'] as number | null;
    const layer = String(step['layer']);
    const membrane = this.#membranes.get(layer) ?? new Float32Array(size).fill(resetTo ?? 0);
    this.#membranes.set(layer, membrane);
    const leaks = this.#leaks(step);
    const move = step['model'] === 'ContinuousLIFNode' ? moveExactly : moveByStep;
    const values = new Float32Array(current.values.length);
    for (let time = 0; time < steps; time += 1) {
      for (let index = 0; index < size; index += 1) {
        const leak = at(leaks, Math.floor((index * leaks.length) / size));
        const settings = {
          leak,
          threshold: Number(step['threshold']),
          resetTo,
          decayInput: step['decayInput'] === true,
        };
        const moved = move(at(membrane, index), at(current.values, time * size + index), settings);
        membrane[index] = moved.membrane;
        values[time * size + index] = moved.fires ? 1 : 0;
      }
    }
    return { shape: current.shape, values };
  }
}

interface NeuronSettings {
  readonly leak: number;
  readonly threshold: number;
  readonly resetTo: number | null;
  readonly decayInput: boolean;
}

type Move = (
  membrane: number,
  current: number,
  settings: NeuronSettings,
) => { readonly membrane: number; readonly fires: boolean };

/** LIFNode and PLIFNode of SpikingJelly. */
const moveByStep: Move = (membrane, current, { leak, threshold, resetTo, decayInput }) => {
  const rest = resetTo ?? 0;
  const charged = (1 - leak) * membrane + (decayInput ? leak : 1) * current + rest * leak;
  const potential = Math.fround(charged);
  if (potential < threshold) return { membrane: potential, fires: false };
  return { membrane: resetTo ?? potential - threshold, fires: true };
};

/** The exact solution for a constant current over the step. */
const moveExactly: Move = (membrane, current, { leak, threshold, resetTo, decayInput }) => {
  const tau = 1 / leak;
  const limit = (resetTo ?? 0) + (decayInput ? current : current * tau);
  const after = (start: number, time: number): number =>
    limit + (start - limit) * Math.exp(-time / tau);
  let crossing = Infinity;
  if (membrane >= threshold) crossing = 0;
  else if (limit > threshold) crossing = tau * Math.log((limit - membrane) / (limit - threshold));
  if (crossing >= 1) return { membrane: after(membrane, 1), fires: false };
  const fresh = resetTo ?? Math.max(membrane, threshold) - threshold;
  return { membrane: after(fresh, 1 - crossing), fires: true };
};

const constantOf = (step: ProgramStep, size: number): Float32Array =>
  step['fill'] === undefined
    ? Float32Array.from(step['values'] as readonly number[])
    : new Float32Array(size).fill(Number(step['fill']));

/** The logits of an input: those of the example by default. */
export const runProgram = (
  program: Program,
  weights: ReadonlyMap<string, Tensor>,
  input: readonly number[] = program.example.input,
): Float32Array => new Interpreter(program, weights).logits(input);
