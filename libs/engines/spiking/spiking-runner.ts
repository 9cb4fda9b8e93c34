import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import { classify, distributionOf } from './classification.js';
import { encodeArray } from './encoders/array.encoder.js';
import { encodeText } from './encoders/input.encoder.js';
import { readoutOf } from './heads.js';
import { storedModels, weightsOf, type StoredModel } from './model-store.js';
import { type Architecture } from './model.js';
import { ARCHITECTURES } from './models/architectures.js';
import { type NeuronModel } from './neurons/neuron.js';
import { continueText, runMetered } from './run.js';
import { InvalidInputError, SpikingEngineError } from './spiking.engine.errors.js';
import {
  type SpikingBatch,
  type SpikingEnd,
  type SpikingInput,
  type SpikingOutcome,
} from './spiking.protocol.js';
import { countsOf, METER_VERSION } from './telemetry/counts.js';
import { Meter } from './telemetry/meter.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';

const SESSIONS_MAX = 512;
const SESSION_IDLE_MS_MAX = 600_000;

interface LoadedModel extends StoredModel {
  readonly architecture: Architecture;
  readonly weights: NamedTensors;
}

interface Session {
  readonly membranes: Map<string, Float32Array>;
  runs: number;
}

/** Loads networks when they are first asked for, and runs one input at a time. */
export class SpikingRunner {
  readonly #loaded = new Map<string, LoadedModel>();
  readonly #sessions = new LRUCache<string, Session>({
    max: SESSIONS_MAX,
    ttl: SESSION_IDLE_MS_MAX,
  });
  #stored: readonly StoredModel[] | null = null;

  /** @param folders absolute paths of folders that may hold `spiking/<name>/` */
  constructor(private readonly folders: readonly string[]) {}

  /** @throws SpikingEngineError */
  async run(input: SpikingInput): Promise<SpikingEnd> {
    return this.#run(await this.#modelOf(input.slug), input);
  }

  /**
   * An outcome for each input, in their order. An input that the network rejects fails alone.
   * @throws SpikingEngineError for a network that cannot run
   */
  async runMany({ inputs, ...network }: SpikingBatch): Promise<readonly SpikingOutcome[]> {
    const model = await this.#modelOf(network.slug);
    return inputs.map((inputData) => {
      try {
        return { end: this.#run(model, { ...network, inputData, raster: false, session: null }) };
      } catch (error) {
        if (error instanceof InvalidInputError) return { rejection: error.message };
        throw error;
      }
    });
  }

  #run(model: LoadedModel, input: SpikingInput): SpikingEnd {
    const { architecture, card, weights } = model;
    const { timesteps, inputData } = input;
    const neuron = neuronOf(model, input.neuron);
    const head = typeof inputData === 'string' ? 'text' : 'native';
    const x =
      typeof inputData === 'string'
        ? encodeText(architecture, inputData, timesteps)
        : encodeArray(architecture, inputData, timesteps);
    const session = this.#sessionOf(input, neuron);
    const meter = new Meter();
    const startedAt = performance.now();
    const result = runMetered(architecture, x, readoutOf(head, card[head].classes.length), {
      weights,
      steps: timesteps,
      neuron,
      membranes: session.membranes,
      raster: input.raster,
      meter,
    });
    const continued =
      typeof inputData === 'string' && architecture.continuation
        ? continueText(
            architecture,
            architecture.continuation,
            inputData,
            card.native.classes.length,
            { weights, neuron, meter },
          )
        : null;
    const latencyMs = performance.now() - startedAt;
    const sessionRuns = session.runs;
    session.runs += 1;
    const { acting } = architecture;
    const policy =
      head === 'native' && acting
        ? {
            actions: [...distributionOf(result.logits, card.native)],
            value: acting.valueOf(result),
          }
        : null;
    if (policy !== null && acting?.endsEpisode(x) === true) this.#endSession(input, neuron);
    const classification = classify(result.logits, card[head]);
    const counts = countsOf(meter.layers, result.denseSparsityPct);
    return {
      slug: card.slug,
      neuron,
      timesteps,
      classification,
      policy,
      counts,
      latencyMs,
      hybrid: architecture.describe(result),
      raster: result.raster,
      completion: continued ?? sentenceOf(card.displayName, classification, counts, timesteps),
      sessionRuns,
      weightsSha256: card.weightsSha256,
      meterVersion: METER_VERSION,
    };
  }

  async #modelOf(slug: string): Promise<LoadedModel> {
    const loaded = this.#loaded.get(slug);
    if (loaded !== undefined) return loaded;
    this.#stored ??= await storedModels(this.folders);
    const stored = this.#stored.find(({ card }) => card.slug === slug);
    const architecture = ARCHITECTURES.find((each) => each.slug === slug);
    if (stored === undefined || architecture === undefined) {
      const known = this.#stored.map(({ card }) => card.slug).join(', ');
      throw new SpikingEngineError('model_unknown', `there is no network ${slug}; known: ${known}`);
    }
    const model = { ...stored, architecture, weights: await weightsOf(stored) };
    this.#loaded.set(slug, model);
    return model;
  }

  #sessionOf(input: SpikingInput, neuron: NeuronModel): Session {
    if (input.session === null) return { membranes: new Map(), runs: 0 };
    const key = sessionKeyOf(input, neuron);
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const fresh: Session = { membranes: new Map(), runs: 0 };
    this.#sessions.set(key, fresh);
    return fresh;
  }

  #endSession(input: SpikingInput, neuron: NeuronModel): void {
    this.#sessions.delete(sessionKeyOf(input, neuron));
  }
}

/** Neurons have different states, so a session that changes its neuron starts at rest. */
const sessionKeyOf = ({ session, slug, inputData }: SpikingInput, neuron: NeuronModel): string =>
  JSON.stringify([session, slug, neuron, typeof inputData]);

const neuronOf = ({ card, architecture }: LoadedModel, asked: NeuronModel | null): NeuronModel => {
  if (asked === null) return architecture.neuron.model;
  if (card.neuronModels.includes(asked)) return asked;
  const able = card.neuronModels.join(', ');
  throw new SpikingEngineError(
    'neuron_unsupported',
    `${card.slug} cannot run with ${asked}, only with ${able}`,
  );
};

const sentenceOf = (
  name: string,
  { topClass, confidence, domain }: SpikingEnd['classification'],
  { spikes, synapticEvents, macs }: SpikingEnd['counts'],
  timesteps: number,
): string =>
  `${name} classified the input as ${topClass} (${(100 * confidence).toFixed(1)} %, ${domain}). ` +
  `Over ${timesteps} timesteps ${spikes} spikes caused ${synapticEvents} synaptic events, beside ` +
  `${macs} multiply-accumulates.`;
