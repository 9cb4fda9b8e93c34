/** The cost of operations: additions for spikes, multiplications for numbers. */
import { type NeuronSettings } from '../neurons/neuron.js';
import { type Charge } from '../telemetry/meter.js';
import { reachesOf, type ConvolutionShape } from './convolution.kernels.js';
import { axisLength, type DataTensor } from './tensor.js';

/** Spikes that arrive, counts of several spikes included. */
export const spikesOf = ({ values }: DataTensor): number => {
  let spikes = 0;
  for (const value of values) spikes += value;
  return spikes;
};

/** @param events spikes times targets  @param dense inputs times targets */
export const projectionCharge = (x: DataTensor, events: number, dense: number): Charge =>
  x.code === 'real'
    ? { macs: dense, annMacs: dense }
    : { acs: events, synapticEvents: events, synapticEventsMax: dense, annMacs: dense };

interface Targets {
  /** Spikes times the targets of each. */
  readonly events: number;
  /** The same if every input were a spike. */
  readonly dense: number;
}

/** @param wires of each input, where some do not exist */
export const linearTargets = (x: DataTensor, out: number, wires?: Float64Array): Targets => {
  if (wires === undefined) {
    return { events: x.code === 'real' ? 0 : out * spikesOf(x), dense: out * x.values.length };
  }
  let [events, dense] = [0, 0];
  for (let at = 0; at < x.values.length; at += 1) {
    const targets = wires[at % wires.length] ?? 0;
    events += targets * (x.values[at] ?? 0);
    dense += targets;
  }
  return { events, dense };
};

/** Spikes times the outputs that each reaches within bounds, and the same for every input. */
export const convolutionTargets = (x: DataTensor, shape: ConvolutionShape): Targets => {
  const { height, width, channels, out } = shape;
  const [down, across] = [reachesOf(height, shape), reachesOf(width, shape)];
  const places = height * width;
  let events = 0;
  let dense = 0;
  for (let at = 0; at < x.values.length; at += channels) {
    const place = (at / channels) % places;
    const targets = (down[Math.floor(place / width)] ?? 0) * (across[place % width] ?? 0) * out;
    dense += targets * channels;
    for (let channel = 0; channel < channels; channel += 1) {
      events += targets * (x.values[at + channel] ?? 0);
    }
  }
  return { events, dense };
};

/** Products of two elements that are both not zero, in one row of a matrix product. */
const activePairs = (row: Float32Array, right: Float32Array, columns: number): number => {
  let pairs = 0;
  for (let inner = 0; inner < row.length; inner += 1) {
    if (row[inner] === 0) continue;
    for (let column = 0; column < columns; column += 1) {
      if (right[inner * columns + column] !== 0) pairs += 1;
    }
  }
  return pairs;
};

/** A product of two activations. Where either is spikes, it adds for each pair that is not zero. */
export const productCharge = (a: DataTensor, b: DataTensor): Charge => {
  const [rows, inner, columns] = [axisLength(a, -2), axisLength(a, -1), axisLength(b, -1)];
  const dense = a.values.length * columns;
  if (a.code === 'real' && b.code === 'real') return { macs: dense, annMacs: dense };
  let events = 0;
  for (let row = 0; row < a.values.length / inner; row += 1) {
    const slice = Math.floor(row / rows) * inner * columns;
    const right = b.values.subarray(slice, slice + inner * columns);
    events += activePairs(a.values.subarray(row * inner, (row + 1) * inner), right, columns);
  }
  // A real number times a small count is a multiplication; times a spike it is an addition.
  const multiplies =
    (a.code === 'real' && b.code === 'integer') || (a.code === 'integer' && b.code === 'real');
  return multiplies
    ? { macs: dense, annMacs: dense }
    : { acs: events, synapticEvents: events, synapticEventsMax: dense, annMacs: dense };
};

/** Decays multiply, soft resets subtract. The exact solution also solves for each crossing. */
export const neuronCharge = (
  { model, resetTo }: NeuronSettings,
  neurons: number,
  spikes: number,
): Charge => {
  const isContinuous = model === 'ContinuousLIFNode';
  return {
    macs: isContinuous ? 2 * (neurons + spikes) : neurons,
    acs: resetTo === null ? spikes : 0,
  };
};
