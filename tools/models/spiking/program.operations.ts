/** Writes down what a network does, instead of doing it. */
import type { Head, Architecture } from '#engines/spiking/model.js';
import type { CardProgram } from '#engines/spiking/model-card.js';
import { readoutOf } from '#engines/spiking/heads.js';
import type { NeuronSettings } from '#engines/spiking/neurons/neuron.js';
import { outputLength } from '#engines/spiking/operations/convolution.kernels.js';
import { broadcastShape } from '#engines/spiking/operations/elementwise.js';
import type {
  ConvolutionOptions,
  ElementFunction,
  NeuronOptions,
  Operations,
  ProjectionOptions,
  SplineOptions,
} from '#engines/spiking/operations/operations.js';
import {
  axisLength,
  sizeOf,
  type DataTensor,
  type Shaped,
} from '#engines/spiking/operations/tensor.js';
import { runMetered } from '#engines/spiking/run.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';

type Step = CardProgram['operations'][number];

/** A tensor as the operation that gives it: its place in the program. */
interface Traced extends Shaped {
  readonly id: number;
}

/** Nothing stops early in a program: it has no values to decide by. */
class ProgramOperations implements Operations<Traced> {
  readonly exhaustive = true;
  readonly written: Step[] = [];

  constructor(
    readonly steps: number,
    private readonly weights: NamedTensors,
    private readonly settings: NeuronSettings,
  ) {}

  write(op: string, shape: readonly number[], details: object = {}): Traced {
    return { id: this.written.push({ op, ...details }) - 1, shape };
  }

  constant(values: Float32Array, shape: readonly number[]): Traced {
    const [first = 0] = values;
    const isEven = values.every((value) => value === first);
    const filled = isEven ? { fill: shortest(first) } : { values: Array.from(values, shortest) };
    return this.write('constant', shape, { shape, ...filled });
  }

  parameter(weight: string, shape: readonly number[]): Traced {
    return this.write('parameter', shape, { weight });
  }

  linear(name: string, x: Traced, { out, bias }: ProjectionOptions): Traced {
    const shape = [...x.shape.slice(0, -1), out];
    return this.write('linear', shape, { of: [x.id], ...projection(name, bias) });
  }

  convolution(name: string, x: Traced, options: ConvolutionOptions): Traced {
    const { out, kernel, stride = 1, bias } = options;
    const [rows, columns] = [axisLength(x, 2), axisLength(x, 3)].map((length) =>
      outputLength(length, stride),
    ) as [number, number];
    const shape = [...x.shape.slice(0, 2), rows, columns, out];
    const padding = (kernel - 1) / 2;
    const details = { ...projection(name, bias), kernel, stride, padding };
    return this.write('convolution', shape, { of: [x.id], ...details });
  }

  graph(name: string, x: Traced, adjacency: Traced, { out, bias }: ProjectionOptions): Traced {
    const shape = [...x.shape.slice(0, 3), out];
    return this.write('graph', shape, { of: [x.id, adjacency.id], ...projection(name, bias) });
  }

  product(a: Traced, b: Traced): Traced {
    return this.write('product', [...a.shape.slice(0, -1), axisLength(b, -1)], {
      of: [a.id, b.id],
    });
  }

  splines(_name: string, x: Traced, { low, high, cells }: SplineOptions): Traced {
    const shape = [...x.shape.slice(0, -1), axisLength(x, -1) * (cells + 3)];
    return this.write('splines', shape, { of: [x.id], low, high, cells });
  }

  neuron(layer: string, current: Traced, options: NeuronOptions<Traced> = {}): Traced {
    const { leak: generated, ...changed } = options;
    const { model, tau, threshold, resetTo, decayInput } = { ...this.settings, ...changed };
    const learned = model === 'PLIFNode' && this.weights.has(`${layer}.leak`);
    const generatedLeak = generated && { leakOf: generated.id };
    const leak = generatedLeak ?? (learned ? { leakWeight: `${layer}.leak` } : { tau });
    const details = { layer, model, ...leak, threshold, resetTo, decayInput };
    return this.write('neuron', current.shape, { of: [current.id], ...details });
  }

  hold(x: Traced, steps = this.steps): Traced {
    return this.write('hold', [steps, ...x.shape.slice(1)], { of: [x.id], steps });
  }

  again(compute: () => Traced): Traced {
    return compute();
  }

  add(a: Traced, b: Traced): Traced {
    return this.#binary('add', a, b);
  }

  subtract(a: Traced, b: Traced): Traced {
    return this.#binary('subtract', a, b);
  }

  multiply(a: Traced, b: Traced): Traced {
    return this.#binary('multiply', a, b);
  }

  scale(x: Traced, factor: number): Traced {
    return this.write('scale', x.shape, { of: [x.id], factor });
  }

  map(x: Traced, element: ElementFunction): Traced {
    return this.write(element, x.shape, { of: [x.id] });
  }

  softmax(x: Traced): Traced {
    return this.write('softmax', x.shape, { of: [x.id] });
  }

  mean(x: Traced, axis: number): Traced {
    return this.#reduced('mean', x, axis);
  }

  sum(x: Traced, axis: number): Traced {
    return this.#reduced('sum', x, axis);
  }

  reshape(x: Traced, shape: readonly number[]): Traced {
    return this.write('reshape', shape, { of: [x.id], shape });
  }

  transpose(x: Traced, permutation: readonly number[]): Traced {
    const shape = permutation.map((axis) => axisLength(x, axis));
    return this.write('transpose', shape, { of: [x.id], permutation });
  }

  concat(tensors: readonly Traced[], axis: number): Traced {
    const [first] = tensors;
    if (first === undefined) throw new RangeError('a concatenation of nothing');
    const at = axis < 0 ? axis + first.shape.length : axis;
    const length = tensors.reduce((sum, tensor) => sum + axisLength(tensor, at), 0);
    const shape = first.shape.with(at, length);
    return this.write('concat', shape, { of: tensors.map(({ id }) => id), axis: at });
  }

  slice(x: Traced, axis: number, from: number, length: number): Traced {
    const at = axis < 0 ? axis + x.shape.length : axis;
    return this.write('slice', x.shape.with(at, length), { of: [x.id], axis: at, from, length });
  }

  rest(): void {
    this.write('rest', []);
  }

  /** A program begins without a session. */
  recall(_name: string, shape: readonly number[], start: number): Traced {
    return this.write('constant', shape, { shape, fill: start });
  }

  remember(): void {
    // The next run of a program begins at rest.
  }

  /** Nothing is decided by them where a run is exhaustive. */
  valuesOf({ shape }: Traced): Float32Array {
    return new Float32Array(sizeOf(shape));
  }

  note(): void {
    // Notes are of a run.
  }

  #binary(op: string, a: Traced, b: Traced): Traced {
    return this.write(op, broadcastShape(a.shape, b.shape), { of: [a.id, b.id] });
  }

  /** The first two axes, of time and batch, stay with length 1. */
  #reduced(op: string, x: Traced, axis: number): Traced {
    const at = axis < 0 ? axis + x.shape.length : axis;
    const kept = at < 2 ? [1] : [];
    const shape = [...x.shape.slice(0, at), ...kept, ...x.shape.slice(at + 1)];
    return this.write(op, shape, { of: [x.id], axis: at });
  }
}

const projection = (name: string, bias = true): object => ({
  weight: `${name}.weight`,
  ...(bias && { bias: `${name}.bias` }),
});

/** The fewest digits that are read as the same value of 32 bits. */
const shortest = (value: number): number => {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
};

/**
 * What a trained network does with an input, in operations that need nothing but its weights, and
 * the logits that it gives for this input.
 * @param x for a batch of one
 */
export const programOf = (
  architecture: Architecture,
  head: Head,
  x: DataTensor,
  classes: number,
  { weights, steps }: { readonly weights: NamedTensors; readonly steps: number },
): CardProgram => {
  const operations = new ProgramOperations(steps, weights, architecture.neuron);
  const readout = readoutOf(head, classes);
  const input = operations.write('input', x.shape, { shape: x.shape });
  const { id } = architecture.forward<Traced>(operations, input, readout);
  const neuron = architecture.neuron.model;
  const options = { weights, steps, neuron, exhaustive: true };
  const { logits } = runMetered(architecture, x, readout, options);
  return {
    operations: operations.written,
    output: id,
    example: { input: Array.from(x.values, shortest), logits: Array.from(logits, shortest) },
  };
};
