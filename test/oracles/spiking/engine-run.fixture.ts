/** The engine's own run of the networks that `whole_networks.py` recorded. */
import { fileURLToPath } from 'node:url';
import { encodeArray } from '#engines/spiking/encoders/array.encoder.js';
import { encodeText } from '#engines/spiking/encoders/input.encoder.js';
import { readoutOf } from '#engines/spiking/heads.js';
import { storedModels, weightsOf } from '#engines/spiking/model-store.js';
import { type Architecture } from '#engines/spiking/model.js';
import { ARCHITECTURES } from '#engines/spiking/models/architectures.js';
import { MeteredOperations } from '#engines/spiking/operations/metered.operations.js';
import { type DataTensor } from '#engines/spiking/operations/tensor.js';
import { Meter } from '#engines/spiking/telemetry/meter.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { type NetworkRun } from './vectors.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));

export interface TrainedNetwork {
  readonly architecture: Architecture;
  readonly weights: NamedTensors;
  readonly classes: number;
  readonly weightsSha256: string;
}

interface Counted {
  synapticEvents: number;
  macs: number;
}

export interface EngineRun {
  readonly logits: Float32Array;
  /** As in `NetworkRun`. */
  readonly spikes: Readonly<Record<string, string>>;
  /** Of layers with weights, without what other operations were counted under their names. */
  readonly layers: Readonly<Record<string, Counted>>;
  readonly totals: { readonly synapticEvents: number; readonly macs: number; readonly acs: number };
  readonly notes: ReadonlyMap<string, readonly number[]>;
}

const totalOf = (meter: Meter, figure: 'synapticEvents' | 'macs' | 'acs'): number =>
  meter.layers.reduce((sum, layer) => sum + layer[figure], 0);

const packed = (spikes: Float32Array): string => {
  const bytes = new Uint8Array(Math.ceil(spikes.length / 8));
  for (const [at, spike] of spikes.entries()) {
    if (spike !== 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  }
  return Buffer.from(bytes).toString('hex');
};

/** Keeps the spikes of each layer, and what each product of the network alone was counted as. */
class RecordingOperations extends MeteredOperations {
  readonly spikes: Record<string, string> = {};
  readonly layers: Record<string, Counted> = {};
  readonly meter: Meter;
  macs = 0;

  constructor(run: ConstructorParameters<typeof MeteredOperations>[0]) {
    super(run);
    this.meter = run.meter;
  }

  override neuron(...args: Parameters<MeteredOperations['neuron']>): DataTensor {
    const spikes = super.neuron(...args);
    this.spikes[args[0]] = (this.spikes[args[0]] ?? '') + packed(spikes.values);
    return spikes;
  }

  override linear(...args: Parameters<MeteredOperations['linear']>): DataTensor {
    return this.#record(args[0], () => super.linear(...args));
  }

  override convolution(...args: Parameters<MeteredOperations['convolution']>): DataTensor {
    return this.#record(args[0], () => super.convolution(...args));
  }

  override graph(...args: Parameters<MeteredOperations['graph']>): DataTensor {
    // The mean over neighbours divides once for each output, which is no product with a weight.
    const sums = this.#record(args[0], () => super.graph(...args));
    const layer = this.layers[args[0]];
    if (layer !== undefined) layer.macs -= sums.values.length;
    this.macs -= sums.values.length;
    return sums;
  }

  override product(...args: Parameters<MeteredOperations['product']>): DataTensor {
    return this.#record(null, () => super.product(...args));
  }

  #record(name: string | null, run: () => DataTensor): DataTensor {
    const [events, macs] = [totalOf(this.meter, 'synapticEvents'), totalOf(this.meter, 'macs')];
    const result = run();
    const added = {
      synapticEvents: totalOf(this.meter, 'synapticEvents') - events,
      macs: totalOf(this.meter, 'macs') - macs,
    };
    this.macs += added.macs;
    if (name === null) return result;
    const before = this.layers[name] ?? { synapticEvents: 0, macs: 0 };
    this.layers[name] = {
      synapticEvents: before.synapticEvents + added.synapticEvents,
      macs: before.macs + added.macs,
    };
    return result;
  }
}

/** @throws Error for a name without definition or without weights */
export const trainedNetwork = async (name: string): Promise<TrainedNetwork> => {
  const architecture = ARCHITECTURES.find((one) => one.name === name);
  const model = (await storedModels([MODELS])).find(({ card }) => card.name === name);
  if (architecture === undefined || model === undefined) throw new Error(`no network ${name}`);
  const weights = await weightsOf(model);
  const { native, weightsSha256 } = model.card;
  return { architecture, weights, classes: native.classes.length, weightsSha256 };
};

/** Operations of one run, from rest. */
export const recording = (
  { architecture, weights }: Pick<TrainedNetwork, 'architecture' | 'weights'>,
  steps: number,
): { readonly operations: RecordingOperations; readonly notes: Map<string, readonly number[]> } => {
  const notes = new Map<string, readonly number[]>();
  const operations = new RecordingOperations({
    weights,
    steps,
    sequential: architecture.input.kind === 'sequence',
    neuron: architecture.neuron,
    meter: new Meter(),
    membranes: new Map(),
    exhaustive: false,
    notes,
    raster: null,
  });
  return { operations, notes };
};

/** Reads the input as a caller's would be read, and runs the network on it. */
export const runInEngine = (
  network: TrainedNetwork,
  { head, input, steps }: Pick<NetworkRun, 'head' | 'input' | 'steps'>,
): EngineRun => {
  const { architecture, classes } = network;
  const { operations, notes } = recording(network, steps);
  const x =
    typeof input === 'string'
      ? encodeText(architecture, input, steps)
      : encodeArray(architecture, input, steps);
  const { values } = architecture.forward(operations, x, readoutOf(head, classes));
  const { spikes, layers, macs, meter } = operations;
  const totals = {
    synapticEvents: totalOf(meter, 'synapticEvents'),
    macs,
    acs: totalOf(meter, 'acs'),
  };
  return { logits: values, spikes, layers, totals, notes };
};
