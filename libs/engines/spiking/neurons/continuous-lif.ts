import { type NeuronSettings } from './neuron.js';

/** One neuron after one step. */
export interface ContinuousStep {
  readonly membrane: number;
  /** When the neuron fired, in steps from the start of this one; null when it did not. */
  readonly firedAt: number | null;
}

/**
 * Time until the membrane reaches the threshold, by the exact solution
 * `v(t) = limit + (v - limit) e^(-t / tau)`; infinite when the limit does not exceed the threshold.
 */
export const timeToThreshold = (
  membrane: number,
  limit: number,
  { tau, threshold }: Pick<NeuronSettings, 'tau' | 'threshold'>,
): number => {
  if (membrane >= threshold) return 0;
  if (limit <= threshold) return Infinity;
  return tau * Math.log((limit - membrane) / (limit - threshold));
};

/**
 * The exact solution over one step of constant input. A crossing in the step resets the membrane
 * and integrates the rest of the step. A neuron fires at most once in a step: a second crossing is
 * carried over, and fires at the start of the next step.
 */
export const stepContinuousLif = (
  membrane: number,
  current: number,
  settings: NeuronSettings,
): ContinuousStep => {
  const { tau, threshold, resetTo, decayInput } = settings;
  const rest = resetTo ?? 0;
  const limit = rest + (decayInput ? current : current * tau);
  const after = (start: number, time: number): number =>
    limit + (start - limit) * Math.exp(-time / tau);
  const crossing = timeToThreshold(membrane, limit, settings);
  if (crossing >= 1) return { membrane: after(membrane, 1), firedAt: null };
  const peak = Math.max(membrane, threshold);
  const fresh = resetTo ?? peak - threshold;
  return { membrane: after(fresh, 1 - crossing), firedAt: crossing };
};

/** As `stepLif`, for ContinuousLIFNode. @returns the number of spikes */
export const stepContinuousLifLayer = (
  membrane: Float32Array,
  current: Float32Array,
  spikes: Float32Array,
  settings: NeuronSettings,
): number => {
  let fired = 0;
  for (let index = 0; index < membrane.length; index += 1) {
    const step = stepContinuousLif(membrane[index] ?? 0, current[index] ?? 0, settings);
    membrane[index] = step.membrane;
    spikes[index] = step.firedAt === null ? 0 : 1;
    if (step.firedAt !== null) fired += 1;
  }
  return fired;
};
