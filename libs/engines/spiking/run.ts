import { type Architecture, type Readout } from './model.js';
import { type NeuronModel } from './neurons/neuron.js';
import { MeteredOperations } from './operations/metered.operations.js';
import { type DataTensor } from './operations/tensor.js';
import { Meter, type LayerCounts } from './telemetry/meter.js';
import { Raster } from './telemetry/raster.js';
import { type NamedTensors } from './weights/safetensors.js';

export interface RunOptions {
  readonly weights: NamedTensors;
  readonly steps: number;
  readonly neuron: NeuronModel;
  /** Carried from the run before in the same session; the run replaces its contents. */
  readonly membranes?: Map<string, Float32Array>;
  readonly raster?: boolean;
  /** Whether the run may not stop early (see `Operations.exhaustive`). */
  readonly exhaustive?: boolean;
}

export interface RunResult {
  /** Row-major `[batch, classes]`. */
  readonly logits: Float32Array;
  readonly layers: readonly LayerCounts[];
  readonly denseSparsityPct: number | null;
  readonly raster: string | null;
  /** What the network left for its description. */
  readonly notes: ReadonlyMap<string, readonly number[]>;
}

/** One metered forward pass. */
export const runMetered = (
  architecture: Architecture,
  x: DataTensor,
  readout: Readout,
  { weights, steps, neuron, membranes = new Map(), raster = false, exhaustive = false }: RunOptions,
): RunResult => {
  const meter = new Meter();
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
    raster: drawing?.text() ?? null,
    notes,
  };
};
