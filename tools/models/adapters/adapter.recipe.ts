/** The choices that all adapters share. */

export const RECIPE = {
  rank: 4,
  alpha: 8,
  targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj'],
  steps: 140,
  /** Dialogues of a step. */
  rows: 6,
  learningRate: 0.01,
  sampleTokens: 40,
} as const;

export const TRAINING_DIALOGUES = 400;
export const HELD_OUT_DIALOGUES = 64;
export const HELD_OUT_SEED = 77;
export const SEED = 1532;

/** Nats per token that an adapter must gain over the base to be shipped. */
export const GAIN_MIN = 0.1;
