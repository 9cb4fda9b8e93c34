import { readoutOf } from './heads.js';
import { type Architecture, type Continuation, type Readout, type RunFacts } from './model.js';
import { type NeuronModel } from './neurons/neuron.js';
import { MeteredOperations } from './operations/metered.operations.js';
import { spikesOf } from './operations/charges.js';
import { type DataTensor } from './operations/tensor.js';
import { Meter } from './telemetry/meter.js';
import { Raster } from './telemetry/raster.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';

export interface RunOptions {
  readonly weights: NamedTensors;
  readonly steps: number;
  readonly neuron: NeuronModel;
  /** Carried from the run before in the same session; the run replaces its contents. */
  readonly membranes?: Map<string, Float32Array>;
  readonly raster?: boolean;
  /** Counts this run with those before it; a meter of its own by default. */
  readonly meter?: Meter;
  /** Whether the run may not stop early (see `Operations.exhaustive`). */
  readonly exhaustive?: boolean;
}

export interface RunResult extends RunFacts {
  /** Row-major `[batch, classes]`. */
  readonly logits: Float32Array;
  readonly raster: string | null;
}

/** One metered forward pass. */
export const runMetered = (
  architecture: Architecture,
  x: DataTensor,
  readout: Readout,
  {
    weights,
    steps,
    neuron,
    membranes = new Map(),
    raster = false,
    exhaustive = false,
    meter = new Meter(),
  }: RunOptions,
): RunResult => {
  const notes = new Map<string, readonly number[]>();
  const drawing = raster ? new Raster() : null;
  const operations = new MeteredOperations({
    weights,
    steps,
    sequential: architecture.input.kind === 'sequence',
    neuron: { ...architecture.neuron, model: neuron },
    meter,
    membranes,
    exhaustive,
    notes,
    raster: drawing === null ? null : { layer: architecture.rasterLayer, drawing },
  });
  const { values } = architecture.forward(operations, x, readout);
  return {
    logits: values,
    layers: meter.layers,
    denseSparsityPct: meter.denseSparsityPct,
    inputSpikes: x.code === 'binary' ? spikesOf(x) : null,
    raster: drawing?.text() ?? null,
    notes,
  };
};

/**
 * The continuation of a text: the likeliest symbol each time, from a state that the network keeps.
 * @param symbols classes of the native head
 */
export const continueText = (
  architecture: Architecture,
  continuation: Continuation,
  text: string,
  symbols: number,
  options: Omit<RunOptions, 'steps' | 'membranes'>,
): string => {
  const membranes = new Map<string, Float32Array>();
  const readout = readoutOf('native', symbols);
  let x = continuation.read(text);
  let added = '';
  for (let index = 0; index < continuation.length; index += 1) {
    const steps = x.shape[0] ?? 1;
    const { logits } = runMetered(architecture, x, readout, { ...options, steps, membranes });
    const symbol = continuation.next(logits);
    added += symbol.text;
    x = symbol.x;
  }
  return added;
};
