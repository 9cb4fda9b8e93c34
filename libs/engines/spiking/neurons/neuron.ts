/** The neurons of the specification, under the class names of SpikingJelly. */
export const NEURON_MODELS = ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'] as const;
export type NeuronModel = (typeof NEURON_MODELS)[number];

export interface NeuronSettings {
  readonly model: NeuronModel;
  /** Membrane time constant in timesteps, over 1. A PLIFNode starts from it and learns its own. */
  readonly tau: number;
  readonly threshold: number;
  /** The potential after a spike and at rest; null subtracts the threshold (soft reset), rest 0. */
  readonly resetTo: number | null;
  /** Whether the leak also scales the input, so that the membrane tends to the input itself. */
  readonly decayInput: boolean;
}

export const DEFAULT_NEURON: NeuronSettings = {
  model: 'LIFNode',
  tau: 2,
  threshold: 1,
  resetTo: 0,
  decayInput: true,
};

/** The factors of the recurrence of a step: `h = keep v + gain x + rest`. */
export interface Recurrence {
  readonly keep: number;
  readonly gain: number;
  readonly rest: number;
}

/** @param leak `1 / tau` in (0, 1] */
export const recurrenceOf = (
  { resetTo, decayInput }: Pick<NeuronSettings, 'resetTo' | 'decayInput'>,
  leak: number,
): Recurrence => ({
  keep: 1 - leak,
  gain: decayInput ? leak : 1,
  rest: (resetTo ?? 0) * leak,
});

/** The parameter of a PLIFNode whose leak is `1 / tau`: the leak is the sigmoid of it. */
export const leakParameterOf = (tau: number): number => -Math.log(tau - 1);

export const leakOf = (parameter: number): number => 1 / (1 + Math.exp(-parameter));

/**
 * Moves LIF neurons by one step: charge, fire at the threshold, reset.
 * @param membrane is overwritten with the potential after the reset
 * @param spikes receives 0 or 1 for each neuron
 * @returns the number of spikes
 */
export const stepLif = (
  membrane: Float32Array,
  current: Float32Array,
  spikes: Float32Array,
  leak: number,
  settings: NeuronSettings,
): number => {
  const { threshold, resetTo } = settings;
  const { keep, gain, rest } = recurrenceOf(settings, leak);
  let fired = 0;
  for (let index = 0; index < membrane.length; index += 1) {
    const charged = keep * (membrane[index] ?? 0) + gain * (current[index] ?? 0) + rest;
    // The rounding of storage comes before the comparison, as in a run on 32-bit floats.
    const potential = Math.fround(charged);
    const fires = potential >= threshold;
    spikes[index] = fires ? 1 : 0;
    if (fires) fired += 1;
    membrane[index] = fires ? (resetTo ?? potential - threshold) : potential;
  }
  return fired;
};
