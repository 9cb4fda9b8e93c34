import { type NumberGrid } from './encoders/resample.js';
import { type NeuronModel, type NeuronSettings } from './neurons/neuron.js';
import { type Operations } from './operations/operations.js';
import { type Code, type DataTensor, type Shaped } from './operations/tensor.js';
import { type LayerCounts } from './telemetry/meter.js';

/**
 * The read-out that answers: the read-out of the network's own task, or of the domains of prompts.
 */
export type Head = 'native' | 'text';

/** The facts that the descriptive strings of a result may name. */
export interface RunFacts {
  readonly layers: readonly LayerCounts[];
  readonly denseSparsityPct: number | null;
  /** Spikes of the input; null for an input of numbers. */
  readonly inputSpikes: number | null;
  /** Numbers that the network noted in this run, such as evaluations of a solver. */
  readonly notes: ReadonlyMap<string, readonly number[]>;
}

/** The last layer of a run: each head has weights of its own. */
export interface Readout {
  readonly head: Head;
  readonly name: string;
  readonly classes: number;
}

export interface Continuation {
  /** Symbols that are added. */
  readonly length: number;
  /** The end of the text, as the native head reads it. */
  read(text: string): DataTensor;
  /** The symbol that these logits call for: as text, and as the next input. */
  next(logits: Float32Array): { readonly text: string; readonly x: DataTensor };
}

/** A network whose native classes are actions. */
export interface Acting {
  /** The discounted return that the critic expects from the input of this run on. */
  valueOf(facts: Pick<RunFacts, 'notes'>): number;
  /** Whether an observation is the last of its episode: a session then ends with its run. */
  endsEpisode(observation: DataTensor): boolean;
}

export interface Architecture {
  /** The folder of its weights, and its name in `npm run models:train -- spiking/<name>`. */
  readonly name: string;
  readonly slug: string;
  readonly displayName: string;
  readonly routingMode: string;
  /** One phrase that says what it is, with its depth. */
  readonly architecture: string;
  readonly input: {
    /** Without time and batch. A sequence has one such element for each timestep. */
    readonly shape: readonly number[];
    readonly kind: 'static' | 'sequence';
    readonly code: Code;
  };
  readonly neuron: NeuronSettings;
  /** The neurons that the trained network may run with. */
  readonly neuronModels: readonly NeuronModel[];
  /** The layer that a raster draws. */
  readonly rasterLayer: string;
  /**
   * Logits `[1, batch, classes]`, averaged over time.
   *
   * On the native head `x` is `[1, batch, …shape]`, or `[steps, batch, …shape]` for a sequence. On
   * the text head it is `[1, batch, 256]` (trigrams of the text), or `[steps, batch, 128]` for a
   * sequence (trigrams of each slice of the text).
   */
  forward<Tensor extends Shaped>(
    operations: Operations<Tensor>,
    x: Tensor,
    readout: Readout,
  ): Tensor;
  /** How the network reads an array that is not its native shape, such as a list of edges. */
  encodeArray?(grid: NumberGrid, steps: number): DataTensor;
  /** How the network reads a text, where trigrams of the whole or of slices do not fit it. */
  encodeText?(text: string, steps: number): DataTensor;
  /** How the network continues a text. */
  readonly continuation?: Continuation;
  /** Where the native head acts. */
  readonly acting?: Acting;
  /** The strings of `hybrid_telemetry`. */
  describe(facts: RunFacts): Readonly<Record<string, string>>;
}

/** The measured sparsity of the dense side, in words. */
export const sparsityText = (denseSparsityPct: number | null): string =>
  denseSparsityPct === null
    ? 'no ReLU in this run'
    : `${denseSparsityPct.toFixed(1)} % exact zeros after ReLU`;
