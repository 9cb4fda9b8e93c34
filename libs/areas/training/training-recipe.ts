import { type TrainingPlan } from './training.task.js';

/** Of a full training; a LoRA has few weights, which move further. */
const LEARNING_RATE = { full: 5e-4, lora: 2e-3 } as const;
const CHECKPOINTS_MAX = 10;
/** Never so far apart that much work is lost. */
const CHECKPOINT_STEPS_MAX = 50;
const WARM_UP_STEPS_MAX = 10;
/** Tokens of a row, or fewer where the model reads fewer. */
export const POSITIONS_MAX = 256;
export const STEPS_MAX = 10_000;
export const BATCH_SIZE_MAX = 32;
export const DEFAULT_STEPS = 200;
export const DEFAULT_BATCH_SIZE = 8;
export const LORA_RANK_MAX = 64;

export interface RecipeOrder {
  readonly steps: number;
  readonly batchSize: number;
  readonly seed: number;
  readonly learningRateMultiplier: number;
  /** Null: every weight is trained. */
  readonly loraRank: number | null;
}

export const recipeOf = (
  { steps, batchSize: rows, seed, learningRateMultiplier, loraRank }: RecipeOrder,
  contextTokens: number,
): TrainingPlan['recipe'] => ({
  steps,
  rows,
  positions: Math.min(POSITIONS_MAX, contextTokens),
  learningRate: LEARNING_RATE[loraRank === null ? 'full' : 'lora'] * learningRateMultiplier,
  warmUpSteps: Math.min(WARM_UP_STEPS_MAX, Math.ceil(steps / 10)),
  seed,
  checkpointSteps: Math.min(CHECKPOINT_STEPS_MAX, Math.ceil(steps / CHECKPOINTS_MAX)),
  tuning:
    loraRank === null
      ? { kind: 'full' }
      : { kind: 'lora', rank: loraRank, alpha: 2 * loraRank, seed },
});

/** Two threads of a machine that does nothing else: measured on nano with batches of 8 x 256. */
const FLOPS_PER_MS = 10_000_000;
const START_MS = 2_000;
/** A teacher writes token by token. */
const WRITTEN_TOKEN_MS = 8;
const WRITTEN_DOCUMENTS_MAX = 256;
const WRITTEN_TOKENS_MAX = 96;

export interface Estimated {
  readonly plan: TrainingPlan;
  readonly studentParameters: number;
  /** 0 without a teacher. */
  readonly teacherParameters: number;
  readonly documents: number;
}

/**
 * The time that a training takes, before it runs: a weight takes part in a multiplication forwards
 * and in two backwards for each token, a weight of the teacher in one.
 */
export const estimatedMsOf = (estimated: Estimated): number => {
  const { plan, studentParameters, teacherParameters, documents } = estimated;
  const { steps, rows, positions } = plan.recipe;
  const reads = plan.method.kind === 'distillation' ? teacherParameters : 0;
  const flops = 2 * steps * rows * positions * (3 * studentParameters + reads);
  const writes =
    plan.method.kind === 'teacher_text'
      ? Math.min(documents, WRITTEN_DOCUMENTS_MAX) * WRITTEN_TOKENS_MAX * WRITTEN_TOKEN_MS
      : 0;
  return Math.ceil(START_MS + writes + flops / FLOPS_PER_MS);
};

/** A token is about three bytes of text. */
const BYTES_PER_TOKEN = 3;

/** The steps in which a text is read so often. */
export const stepsOfEpochs = (
  epochs: number,
  bytes: number,
  { batchSize }: Pick<RecipeOrder, 'batchSize'>,
): number => {
  const rows = Math.ceil(bytes / BYTES_PER_TOKEN / POSITIONS_MAX);
  return Math.min(STEPS_MAX, Math.max(1, Math.ceil((epochs * rows) / batchSize)));
};
