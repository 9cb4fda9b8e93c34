import { energyReport } from '#areas/spiking/energy-report.js';
import { inputDataOf } from '#areas/spiking/input-data.js';
import { neuronOf } from '#areas/spiking/neuron-of.js';
import { countsOf } from '#areas/spiking/run-counts.js';
import { openNetworks } from '#areas/spiking/spiking.engine.js';
import { statementOf } from '#areas/spiking/statement.js';
import { CommandFailure, usage } from '../command-failure.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { energyJson } from './energy-output.js';
import { networkAsked, type NetworkOptions } from './network-options.js';
import { networksOf } from './networks.js';

export interface InferOptions extends NetworkOptions {
  readonly input: string;
  readonly raster?: boolean;
}

/** Runs the network in this process. No account pays, and the log has nothing of it. */
export const infer = async (options: InferOptions, invocation: Invocation): Promise<Outcome> => {
  const asked = networkAsked(options);
  const { settings, models } = networksOf(invocation);
  const card = models.choose(asked);
  const neuron = neuronOf(card, asked.neuron);
  const inputData = inputDataOf(valueOf(options.input), '--input');
  const { raster = false } = options;
  const { timesteps } = asked;
  const task = { slug: card.slug, inputData, timesteps, neuron, raster, session: null };
  const networks = await openNetworks(settings);
  try {
    const run = await networks.run(task, invocation.signal);
    const energy = energyReport(countsOf(run), settings.gridGramsPerKwh);
    const statement = statementOf({ card, run, energy });
    return {
      json: {
        slug: run.slug,
        neuron_model: run.neuron,
        timesteps: run.timesteps,
        classification: {
          top_class: run.classification.topClass,
          confidence: run.classification.confidence,
          domain: run.classification.domain,
        },
        policy: run.policy,
        counts: run.counts,
        latency_ms: run.latencyMs,
        energy: energyJson(energy),
        completion: statement,
        ...(raster && { spike_raster_ascii: run.raster }),
      },
      text: raster ? `${statement}\n\n${run.raster ?? ''}` : statement,
    };
  } catch (error) {
    throw failureOf(error);
  } finally {
    await networks.close();
  }
};

const valueOf = (written: string): unknown => {
  if (!written.startsWith('[')) return written;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    throw usage('--input: begins with a bracket and is no JSON');
  }
};

/** Errors of the engine have a code. */
const failureOf = (error: unknown): unknown => {
  const isOfEngine = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return isOfEngine ? new CommandFailure(String(error.code), error.message) : error;
};
