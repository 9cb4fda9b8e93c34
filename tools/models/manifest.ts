/** What is written down about a trained model, as its files hold it. */
import type { LlamaModel } from '#engines/training/model/llama.model.js';
import type { HeldOutFigures } from './trainer.js';

export interface TrainingRecord extends HeldOutFigures {
  readonly seed: number;
  readonly steps: number;
  readonly tokensSeen: number;
  readonly seconds: number;
}

export interface Sample {
  readonly question: string;
  readonly answer: string;
}

/** `nano.json`. */
export interface Manifest {
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly architecture: 'llama';
  readonly parameters: number;
  readonly shape: LlamaModel['shape'];
  readonly trainedPositions: number;
  readonly training: TrainingRecord;
  readonly reference: string;
  /** At temperature 0. */
  readonly samples: readonly Sample[];
  /** At temperature 0.7. */
  readonly warmSamples: readonly Sample[];
}

/** `nano.reference.json`. */
export interface Reference {
  readonly sha256: string;
  readonly prompts: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    /** The trainer's logits after the last id, one per vocabulary entry. */
    readonly logits: readonly number[];
    /** What greedy decoding goes on with, up to and without the end-of-turn token. */
    readonly greedy: readonly number[];
  }[];
}
