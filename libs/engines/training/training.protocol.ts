/** A training as it is ordered, and what it reports. */
import { type DistillationTerms } from './model/distillation.loss.js';
import { type Tuning } from './learner.js';

/**
 * `next_token`: cross-entropy with the text. `distillation`: the teacher's probabilities and the
 * text. `teacher_text`: cross-entropy with texts that the teacher writes first.
 */
export type TrainingMethod =
  | { readonly kind: 'next_token' }
  | ({ readonly kind: 'distillation' } & DistillationTerms)
  | { readonly kind: 'teacher_text' };

export interface TrainingRecipe {
  readonly steps: number;
  /** Rows of a batch, at least 2. */
  readonly rows: number;
  /** Tokens of a row. */
  readonly positions: number;
  /** After `warmUpSteps` of ascent it falls along a cosine to a tenth. */
  readonly learningRate: number;
  readonly warmUpSteps: number;
  /** Of the order of the documents. */
  readonly seed: number;
  /** Steps between two checkpoints. */
  readonly checkpointSteps: number;
  readonly tuning: Tuning;
}

/** Files are absolute paths. The same task gives the same bits on the same kind of machine. */
export interface TrainingTask {
  readonly student: string;
  /** Of every method but `next_token`; it may be the student's own file. */
  readonly teacher: string | null;
  /** Documents, one a line (`documents.ts`). */
  readonly text: string;
  /** The last checkpoint of the same task; null: from the beginning. */
  readonly checkpoint: string | null;
  /** Written into the file of the result. */
  readonly name: string;
  readonly method: TrainingMethod;
  readonly recipe: TrainingRecipe;
}

/** Of the student, on documents that it does not learn. */
export interface HeldOut {
  /** exp of the mean -log p of a token. */
  readonly perplexity: number;
  /** The mean KL(teacher || student) of a token in nats; null without a teacher. */
  readonly divergence: number | null;
  readonly tokens: number;
}

export interface TrainingProgress {
  readonly phase: 'generating' | 'training';
  /** Steps, or documents of the teacher. */
  readonly done: number;
  readonly total: number;
  /** Of the last step; null before it. */
  readonly loss: number | null;
  /** Read in training and written by the teacher, over all attempts. */
  readonly tokens: number;
  /** Of work, over all attempts. */
  readonly seconds: number;
}

export type TrainingPiece =
  | ({ readonly kind: 'progress' } & TrainingProgress)
  | {
      readonly kind: 'checkpoint';
      readonly progress: TrainingProgress;
      readonly content: Uint8Array;
    };

export interface TrainingEnd {
  /** A GGUF file. */
  readonly weights: Uint8Array;
  readonly before: HeldOut;
  readonly after: HeldOut;
  /** Of each step. */
  readonly losses: readonly number[];
  readonly tokens: number;
  readonly seconds: number;
  /** Weights that were changed. */
  readonly learnedParameters: number;
}
