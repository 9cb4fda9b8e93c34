/** The work of one named layer in a run. Every figure is a whole number of operations. */
export interface LayerCounts {
  readonly name: string;
  /** Multiply-accumulates, decays of membranes among them. */
  readonly macs: number;
  /** Accumulates: synaptic events, subtractions of soft resets, additions. */
  readonly acs: number;
  /** Spikes that arrived, times the targets of each. */
  readonly synapticEvents: number;
  /** 0 for a layer without neurons. */
  readonly neurons: number;
  readonly neuronSteps: number;
  readonly spikes: number;
  readonly quiescentNeurons: number;
  /** The same layer with ReLU in place of spikes, run once for an input that does not change. */
  readonly annMacs: number;
  readonly annAcs: number;
  /** Synaptic events if every neuron fired at every step. */
  readonly synapticEventsMax: number;
}

/** Operations; what neurons did is counted by `fire`. */
export type Charge = Partial<
  Pick<LayerCounts, 'macs' | 'acs' | 'synapticEvents' | 'annMacs' | 'annAcs' | 'synapticEventsMax'>
>;

type Figures = { -readonly [Key in Exclude<keyof LayerCounts, 'name'>]: number };

interface Layer {
  readonly figures: Figures;
  /** Whether each neuron has fired; null for a layer without neurons. */
  fired: Uint8Array | null;
}

const noFigures = (): Figures => ({
  macs: 0,
  acs: 0,
  synapticEvents: 0,
  neurons: 0,
  neuronSteps: 0,
  spikes: 0,
  quiescentNeurons: 0,
  annMacs: 0,
  annAcs: 0,
  synapticEventsMax: 0,
});

/** Counts operations by layer, in the order in which layers first run. */
export class Meter {
  readonly #layers = new Map<string, Layer>();
  #current = 'input';
  /** That of the current name, once it has been charged. */
  #layer: Layer | null = null;
  #reluOutputs = 0;
  #reluZeros = 0;
  #countsAnn = true;

  /** Names the layer that unnamed operations belong to from here on. */
  enter(name: string): void {
    if (name === this.#current) return;
    this.#current = name;
    this.#layer = null;
  }

  charge(charge: Charge): void {
    const { figures } = this.#currentLayer();
    figures.macs += charge.macs ?? 0;
    figures.acs += charge.acs ?? 0;
    figures.synapticEvents += charge.synapticEvents ?? 0;
    if (this.#countsAnn) figures.annMacs += charge.annMacs ?? 0;
    if (this.#countsAnn) figures.annAcs += charge.annAcs ?? 0;
    figures.synapticEventsMax += charge.synapticEventsMax ?? 0;
  }

  /** Charges the network, and not its ANN baseline. */
  withoutAnn<Result>(compute: () => Result): Result {
    const before = this.#countsAnn;
    this.#countsAnn = false;
    try {
      return compute();
    } finally {
      this.#countsAnn = before;
    }
  }

  /** One step of the neurons of the current layer. */
  fire(spikes: Float32Array, count: number): void {
    const layer = this.#currentLayer();
    layer.fired ??= new Uint8Array(spikes.length);
    const { fired } = layer;
    for (let neuron = 0; neuron < spikes.length; neuron += 1) {
      if (spikes[neuron] !== 0) fired[neuron] = 1;
    }
    layer.figures.neurons = fired.length;
    layer.figures.neuronSteps += spikes.length;
    layer.figures.spikes += count;
  }

  rectified(values: Float32Array): void {
    this.#reluOutputs += values.length;
    for (const value of values) if (value === 0) this.#reluZeros += 1;
  }

  /** The share of exact zeros after ReLU in percent, or null for a network without ReLU. */
  get denseSparsityPct(): number | null {
    return this.#reluOutputs === 0 ? null : (100 * this.#reluZeros) / this.#reluOutputs;
  }

  get layers(): readonly LayerCounts[] {
    return [...this.#layers].map(([name, { figures, fired }]) => ({
      name,
      ...figures,
      quiescentNeurons: fired === null ? 0 : fired.filter((once) => once === 0).length,
    }));
  }

  #currentLayer(): Layer {
    if (this.#layer !== null) return this.#layer;
    const layer = this.#layers.get(this.#current) ?? { figures: noFigures(), fired: null };
    this.#layers.set(this.#current, layer);
    this.#layer = layer;
    return layer;
  }
}
