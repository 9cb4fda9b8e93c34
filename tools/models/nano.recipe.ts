/** The choices that make the built-in model what it is. */
import type { BatchShape } from './batch.js';
import type { LlamaShape } from '#engines/training/model/llama.model.js';

export const NAME = 'Quipu nano';

export const CONTROLS: readonly string[] = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

export const VOCABULARY_SIZE = 1280;

export const SHAPE: Omit<LlamaShape, 'vocabulary'> = {
  width: 128,
  layers: 4,
  heads: 4,
  feedForwardWidth: 352,
  contextLength: 1024,
  ropeBase: 10_000,
  normEpsilon: 1e-5,
};

/** A stretch of training with its own batches and a fresh optimizer, so that it can be resumed. */
export interface Stage extends BatchShape {
  readonly steps: number;
  readonly learningRate: {
    readonly peak: number;
    readonly final: number;
    readonly warmUpSteps: number;
    readonly descent: 'cosine' | 'linear';
    /** Where `final` would be reached; a stage may end before. */
    readonly descentSteps: number;
  };
}

/**
 * The first stage learns at a high rate and is cut where its cosine has come half way down; the
 * second descends in a straight line; the third dwells on what everyone asks; the last two see long
 * rows, so that longer chats are not strange.
 */
export const STAGES: readonly Stage[] = [
  {
    steps: 1600,
    rows: 10,
    positions: 192,
    commonShare: 0,
    learningRate: {
      peak: 3e-3,
      final: 1e-4,
      warmUpSteps: 60,
      descent: 'cosine',
      descentSteps: 2800,
    },
  },
  {
    steps: 560,
    rows: 10,
    positions: 192,
    commonShare: 0,
    learningRate: {
      peak: 1.5e-3,
      final: 2e-4,
      warmUpSteps: 20,
      descent: 'linear',
      descentSteps: 560,
    },
  },
  {
    steps: 160,
    rows: 10,
    positions: 192,
    commonShare: 0.3,
    learningRate: {
      peak: 6e-4,
      final: 1e-4,
      warmUpSteps: 10,
      descent: 'linear',
      descentSteps: 160,
    },
  },
  {
    steps: 60,
    rows: 4,
    positions: 512,
    commonShare: 0.2,
    learningRate: {
      peak: 2e-4,
      final: 2e-5,
      warmUpSteps: 10,
      descent: 'linear',
      descentSteps: 60,
    },
  },
  {
    steps: 130,
    rows: 4,
    positions: 512,
    commonShare: 0.1,
    learningRate: {
      peak: 6e-4,
      final: 1e-5,
      warmUpSteps: 10,
      descent: 'linear',
      descentSteps: 130,
    },
  },
];
