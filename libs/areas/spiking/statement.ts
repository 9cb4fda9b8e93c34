import { type SpikingAnswer } from './infer-spikes.handler.js';

/** The mode whose network continues a text. */
const LANGUAGE_MODEL_MODE = 'hybrid_linear_rwkv';

type Stated = Pick<SpikingAnswer, 'card' | 'run' | 'energy'>;

/**
 * The result of a run, as a text: a language model's continuation, or the class or action that
 * another network found and the counts of the run.
 */
export const statementOf = ({ card, run, energy }: Stated): string => {
  if (card.routingMode === LANGUAGE_MODEL_MODE) return run.completion;
  const { neurons, spikes, synapticEvents, macs } = run.counts;
  const { fp32, int8 } = energy;
  return [
    `${card.displayName} (${card.slug}) ${findingOf(run)}`,
    `Counted over ${run.timesteps} timesteps with ${run.neuron}: ${spikes} spikes of ${neurons} ` +
      `neurons, ${synapticEvents} synaptic events, ${macs} multiply-accumulates.`,
    `Modelled compute energy: ${fp32.joules.toExponential(2)} J, ` +
      `${signedPercent(fp32.reductionPct)} against the same network without spikes in 32-bit ` +
      `floats, ${signedPercent(int8.reductionPct)} in 8-bit integers.`,
  ].join(' ');
};

const findingOf = ({ classification, policy }: Stated['run']): string => {
  const { topClass, confidence, domain } = classification;
  return policy === null
    ? `classified the input as "${topClass}" with a confidence of ${percent(confidence)} ` +
        `(read-out: ${domain}).`
    : `chose "${topClass}" with a probability of ${percent(confidence)} (read-out: ${domain}), ` +
        `and expects a discounted return of ${policy.value.toFixed(1)}.`;
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A reduction as a change: less is negative. */
const signedPercent = (reductionPct: number): string => {
  const change = -reductionPct;
  return `${change > 0 ? '+' : ''}${change.toFixed(1)} %`;
};
