import { leakOf, type NeuronSettings } from '../neurons/neuron.js';
import { stepGroups } from '../neurons/neuron-groups.js';
import { type Charge, type Meter } from '../telemetry/meter.js';
import { type Raster } from '../telemetry/raster.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import {
  convolutionTargets,
  linearTargets,
  neuronCharge,
  productCharge,
  projectionCharge,
} from './charges.js';
import {
  denseConvolution,
  eventConvolution,
  outputLength,
  type ConvolutionShape,
} from './convolution.kernels.js';
import { denseRow, eventRow } from './dense.kernels.js';
import {
  combine,
  divided,
  joined,
  mapped,
  scaled,
  sliced,
  softmaxRows,
  sumOver,
  transposed,
} from './elementwise.js';
import { EdgeTable } from './graph.kernels.js';
import {
  type ConvolutionOptions,
  type ElementFunction,
  type NeuronOptions,
  type Operations,
  type ProjectionOptions,
  type SplineOptions,
} from './operations.js';
import { prepare, type PreparedWeights } from './prepared-weights.js';
import { SPLINE_MACS, splineBasis } from './splines.js';
import {
  activeCount,
  axisLength,
  sizeOf,
  tensorOf,
  type Code,
  type DataTensor,
  type Shaped,
} from './tensor.js';

/**
 * Above these shares of active inputs the dense kernels are faster:
 * `npm --prefix test/bench run spiking`.
 */
export const BREAK_EVEN = { linear: 0.85, convolution: 0.85 } as const;

export interface MeteredRun {
  readonly weights: NamedTensors;
  readonly steps: number;
  /** False when the input does not change: the ANN baseline then runs once. */
  readonly sequential: boolean;
  readonly neuron: NeuronSettings;
  readonly meter: Meter;
  /** Membranes by layer. Layers that are missing start at rest; the run leaves its own here. */
  readonly membranes: Map<string, Float32Array>;
  /** See `Operations.exhaustive`. */
  readonly exhaustive: boolean;
  /** Receives what the network notes. */
  readonly notes: Map<string, readonly number[]>;
  /** Draws the spikes of one layer. */
  readonly raster: { readonly layer: string; readonly drawing: Raster } | null;
}

/** Adds spikes where the input is spikes, multiplies where it is not, and counts which it was. */
export class MeteredOperations implements Operations<DataTensor> {
  readonly #weights: PreparedWeights;
  /** By the values of adjacency matrices, which several layers of a network share. */
  readonly #edges = new Map<Float32Array, readonly EdgeTable[]>();

  constructor(private readonly run: MeteredRun) {
    this.#weights = prepare(run.weights);
  }

  get steps(): number {
    return this.run.steps;
  }

  get exhaustive(): boolean {
    return this.run.exhaustive;
  }

  constant(values: Float32Array, shape: readonly number[], code: Code = 'real'): DataTensor {
    return tensorOf(values, shape, code);
  }

  /** @throws RangeError when the weights lack the parameter, or have it in another shape */
  parameter(name: string, shape: readonly number[]): DataTensor {
    const { values } = this.#weights.parameter(name, shape);
    return { values, shape, code: 'real' };
  }

  linear(name: string, x: DataTensor, { out, bias = true, fixed }: ProjectionOptions): DataTensor {
    const inputs = axisLength(x, -1);
    const weight = this.parameter(`${name}.weight`, [inputs, out]).values;
    const start = this.#startOf(name, out, bias);
    const rows = x.values.length / inputs;
    const values = new Float32Array(rows * out);
    const isEventDriven = this.#isSparse(x, BREAK_EVEN.linear);
    const y = new Float64Array(out);
    for (let row = 0; row < rows; row += 1) {
      y.set(start);
      const input = x.values.subarray(row * inputs, (row + 1) * inputs);
      (isEventDriven ? eventRow : denseRow)(input, weight, y);
      values.set(y, row * out);
    }
    this.run.meter.enter(name);
    const wires = fixed ? this.#weights.wires(`${name}.weight`, inputs, out) : undefined;
    const { events, dense } = linearTargets(x, out, wires);
    this.#charge(x, projectionCharge(x, events, dense));
    return { values, shape: [...x.shape.slice(0, -1), out], code: 'real' };
  }

  convolution(name: string, x: DataTensor, options: ConvolutionOptions): DataTensor {
    const { out, kernel, stride = 1, bias = true } = options;
    const [height, width, channels] = [axisLength(x, 2), axisLength(x, 3), axisLength(x, 4)];
    const shape: ConvolutionShape = { height, width, channels, kernel, stride, out };
    const weight = this.parameter(`${name}.weight`, [kernel, kernel, channels, out]).values;
    const [rows, columns] = [outputLength(height, stride), outputLength(width, stride)];
    const start = this.#startOf(name, out, bias);
    const isEventDriven = this.#isSparse(x, BREAK_EVEN.convolution);
    const pictures = axisLength(x, 0) * axisLength(x, 1);
    const size = rows * columns * out;
    const values = new Float32Array(pictures * size);
    const y = new Float64Array(size);
    for (let picture = 0; picture < pictures; picture += 1) {
      for (let at = 0; at < size; at += out) y.set(start, at);
      const length = height * width * channels;
      const input = x.values.subarray(picture * length, (picture + 1) * length);
      (isEventDriven ? eventConvolution : denseConvolution)(input, weight, y, shape);
      values.set(y, picture * size);
    }
    this.run.meter.enter(name);
    const { events, dense } = convolutionTargets(x, shape);
    this.#charge(x, projectionCharge(x, events, dense));
    return { values, shape: [...x.shape.slice(0, 2), rows, columns, out], code: 'real' };
  }

  graph(
    name: string,
    x: DataTensor,
    adjacency: DataTensor,
    { out, bias = true }: ProjectionOptions,
  ): DataTensor {
    const [nodes, features] = [axisLength(x, 2), axisLength(x, 3)];
    const graphs = axisLength(x, 0) * axisLength(x, 1);
    const tables = this.#edgeTables(adjacency);
    const weight = this.parameter(`${name}.weight`, [features, out]).values;
    const start = this.#startOf(name, out, bias);
    const values = new Float32Array(graphs * nodes * out);
    const isReal = x.code === 'real';
    let [events, dense, edges] = [0, 0, 0];
    for (let graph = 0; graph < graphs; graph += 1) {
      const table = tables[graph % tables.length] as EdgeTable;
      const input = x.values.subarray(graph * nodes * features, (graph + 1) * nodes * features);
      const output = values.subarray(graph * nodes * out, (graph + 1) * nodes * out);
      table.pass(input, weight, isReal ? denseRow : eventRow, start, output);
      events += table.targetsOf(input) * out;
      dense += table.edges * features * out;
      edges += table.edges;
    }
    this.run.meter.enter(name);
    const products = isReal
      ? { macs: x.values.length * out, acs: edges * out }
      : { macs: 0, acs: events, synapticEvents: events, synapticEventsMax: dense };
    const ann = { annMacs: x.values.length * out + values.length, annAcs: edges * out };
    // The mean divides once for each output.
    this.#charge(x, { ...products, macs: products.macs + values.length, ...ann });
    return { values, shape: [...x.shape.slice(0, 3), out], code: 'real' };
  }

  product(a: DataTensor, b: DataTensor): DataTensor {
    const [m, k, n] = [axisLength(a, -2), axisLength(a, -1), axisLength(b, -1)];
    const slices = sizeOf(a.shape.slice(0, -2));
    const values = new Float32Array(slices * m * n);
    const y = new Float64Array(n);
    for (let row = 0; row < slices * m; row += 1) {
      const slice = Math.floor(row / m);
      const right = b.values.subarray(slice * k * n, (slice + 1) * k * n);
      const left = a.values.subarray(row * k, (row + 1) * k);
      y.fill(0);
      eventRow(left, right, y);
      values.set(y, row * n);
    }
    this.#charge(a, productCharge(a, b));
    const code = a.code === 'real' || b.code === 'real' ? 'real' : 'integer';
    return { values, shape: [...a.shape.slice(0, -1), n], code };
  }

  splines(name: string, x: DataTensor, options: SplineOptions): DataTensor {
    const macs = x.values.length * SPLINE_MACS;
    this.run.meter.enter(name);
    this.#charge(x, { macs, annMacs: macs });
    const width = axisLength(x, -1) * (options.cells + 3);
    const shape = [...x.shape.slice(0, -1), width];
    return { values: splineBasis(x.values, options), shape, code: 'real' };
  }

  neuron(
    name: string,
    current: DataTensor,
    { leak: generated, ...changed }: NeuronOptions<DataTensor> = {},
  ): DataTensor {
    const settings = { ...this.run.neuron, ...changed };
    const steps = axisLength(current, 0);
    const size = current.values.length / steps;
    const membrane = this.#membraneOf(name, size, settings);
    const leaks = generated?.values ?? [this.#leakOf(name, settings)];
    const values = new Float32Array(current.values.length);
    this.run.meter.enter(name);
    for (let step = 0; step < steps; step += 1) {
      const [from, to] = [step * size, (step + 1) * size];
      const spikes = values.subarray(from, to);
      const input = current.values.subarray(from, to);
      const count = stepGroups(membrane, input, spikes, leaks, settings);
      this.run.meter.fire(spikes, count);
      this.run.meter.charge(neuronCharge(settings, size, count));
      if (this.run.raster?.layer === name) this.run.raster.drawing.add(spikes);
    }
    return { values, shape: current.shape, code: 'binary' };
  }

  hold(x: DataTensor, steps = this.steps): DataTensor {
    const values = new Float32Array(x.values.length * steps);
    for (let step = 0; step < steps; step += 1) values.set(x.values, step * x.values.length);
    return { values, shape: [steps, ...x.shape.slice(1)], code: x.code };
  }

  again(compute: () => DataTensor): DataTensor {
    return this.run.sequential ? compute() : this.run.meter.withoutAnn(compute);
  }

  add(a: DataTensor, b: DataTensor): DataTensor {
    const { values, shape } = combine('add', a, b);
    const areSpikes = a.code === 'binary' && b.code === 'binary';
    const acs = areSpikes ? activeCount(a.values) + activeCount(b.values) : values.length;
    this.#charge({ shape }, { acs, annAcs: values.length });
    return { values, shape, code: a.code === 'real' || b.code === 'real' ? 'real' : 'integer' };
  }

  subtract(a: DataTensor, b: DataTensor): DataTensor {
    const { values, shape } = combine('subtract', a, b);
    this.#charge({ shape }, { acs: values.length, annAcs: values.length });
    return { values, shape, code: 'real' };
  }

  multiply(a: DataTensor, b: DataTensor): DataTensor {
    const { values, shape } = combine('multiply', a, b);
    const isGate = a.code === 'binary' || b.code === 'binary';
    this.#charge({ shape }, { macs: isGate ? 0 : values.length, annMacs: values.length });
    const code = a.code === 'binary' ? b.code : a.code;
    return { values, shape, code: isGate ? code : 'real' };
  }

  scale(x: DataTensor, factor: number): DataTensor {
    this.#charge(x, { macs: x.values.length, annMacs: x.values.length });
    return { ...x, values: scaled(x.values, factor), code: 'real' };
  }

  map(x: DataTensor, element: ElementFunction): DataTensor {
    const values = mapped(x.values, element);
    if (element === 'relu') this.run.meter.rectified(values);
    return { ...x, values, code: 'real' };
  }

  softmax(x: DataTensor): DataTensor {
    return { ...x, values: softmaxRows(x.values, axisLength(x, -1)), code: 'real' };
  }

  mean(x: DataTensor, axis: number): DataTensor {
    const { values, shape, code } = this.sum(x, axis);
    const length = axisLength(x, axis);
    if (length === 1) return { values, shape, code };
    const annMacs = this.#hasNoTime(axis) ? 0 : values.length;
    this.#charge(x, { macs: values.length, annMacs });
    return { values: divided(values, length), shape, code: 'real' };
  }

  sum(x: DataTensor, axis: number): DataTensor {
    const { values, shape } = sumOver(x, axis);
    const acs = x.values.length - values.length;
    this.#charge(x, { acs, annAcs: this.#hasNoTime(axis) ? 0 : acs });
    return { values, shape, code: x.code === 'real' ? 'real' : 'integer' };
  }

  reshape(x: DataTensor, shape: readonly number[]): DataTensor {
    return tensorOf(x.values, shape, x.code);
  }

  transpose(x: DataTensor, permutation: readonly number[]): DataTensor {
    return { ...transposed(x, permutation), code: x.code };
  }

  concat(tensors: readonly DataTensor[], axis: number): DataTensor {
    const codes = tensors.map(({ code }) => code);
    const isInteger = codes.includes('integer') ? 'integer' : 'binary';
    return { ...joined(tensors, axis), code: codes.includes('real') ? 'real' : isInteger };
  }

  slice(x: DataTensor, axis: number, from: number, length: number): DataTensor {
    return { ...sliced(x, axis, from, length), code: x.code };
  }

  rest(): void {
    this.run.membranes.clear();
  }

  recall(name: string, shape: readonly number[], start: number): DataTensor {
    const held = this.run.membranes.get(name);
    const isHeld = held?.length === sizeOf(shape);
    return tensorOf(isHeld ? held : new Float32Array(sizeOf(shape)).fill(start), shape);
  }

  remember(name: string, { values }: DataTensor): void {
    this.run.membranes.set(name, values);
  }

  valuesOf({ values }: DataTensor): Float32Array {
    return values;
  }

  note(name: string, values: ArrayLike<number>): void {
    this.run.notes.set(name, Array.from(values));
  }

  /** The ANN of an input that does not change runs one step, and has no time to sum over. */
  #hasNoTime(axis: number): boolean {
    return axis === 0 && !this.run.sequential;
  }

  /** The bias, or zeros: what the sums of a projection start from. */
  #startOf(name: string, out: number, bias: boolean): Float64Array {
    if (!bias) return new Float64Array(out);
    return this.#weights.bias(`${name}.bias`, out);
  }

  #isSparse({ code, values }: DataTensor, breakEven: number): boolean {
    return code !== 'real' && activeCount(values) < breakEven * values.length;
  }

  #edgeTables(adjacency: DataTensor): readonly EdgeTable[] {
    const known = this.#edges.get(adjacency.values);
    if (known !== undefined) return known;
    const nodes = axisLength(adjacency, -1);
    const size = nodes * nodes;
    const tables = Array.from({ length: adjacency.values.length / size }, (_, graph) => {
      return new EdgeTable(adjacency.values.subarray(graph * size, (graph + 1) * size), nodes);
    });
    this.#edges.set(adjacency.values, tables);
    return tables;
  }

  #membraneOf(name: string, size: number, { resetTo }: NeuronSettings): Float32Array {
    const { membranes } = this.run;
    const held = membranes.get(name);
    if (held?.length === size) return held;
    const fresh = new Float32Array(size).fill(resetTo ?? 0);
    membranes.set(name, fresh);
    return fresh;
  }

  #leakOf(name: string, { model, tau }: NeuronSettings): number {
    const learned = model === 'PLIFNode' ? this.#weights.optional(`${name}.leak`) : undefined;
    // A network that was trained with fixed leaks starts a PLIFNode from them.
    return learned === undefined ? 1 / tau : leakOf(learned.values[0] ?? 0);
  }

  /**
   * @param x the input of the operation: its steps are the steps of the ANN that ran once too often
   */
  #charge({ shape }: Shaped, charge: Charge): void {
    const repeats = this.run.sequential ? 1 : (shape[0] ?? 1);
    const annMacs = (charge.annMacs ?? 0) / repeats;
    this.run.meter.charge({ ...charge, annMacs, annAcs: (charge.annAcs ?? 0) / repeats });
  }
}
