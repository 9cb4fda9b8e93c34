/** The messages between the engine and its child. Types only. */
import type { ChatMessage } from '../language-model/language-model.protocol.js';

export interface SpeculativeChildSettings {
  /** Pairs kept in memory; an idle one is dropped when another needs its place. */
  readonly loadedPairsMax: number;
  /** A context is no longer than this, whatever the models were trained for. */
  readonly contextTokensMax: number;
  /** Messages with text that the child may send ahead of the reader before it pauses. */
  readonly unreadDeltasMax: number;
  /** The part of the decoding time that comparisons with plain decoding may take, 0 to 1. */
  readonly comparisonShare: number;
}

/** A file and a text that changes with it, so that a replaced file is loaded again. */
export interface ModelFile {
  readonly path: string;
  readonly version: string;
}

export interface SpeculativeTask {
  readonly target: ModelFile;
  readonly draft: ModelFile;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  /** Tokens that are drafted for one evaluation of the target. */
  readonly draftTokensMax: number;
}

/** The counts of decoding. */
export interface SpeculativeCounts {
  readonly draftTokens: number;
  /** Of the drafted tokens; the one that the target adds to them is not counted. */
  readonly acceptedTokens: number;
  readonly targetCalls: number;
  /** The calls of the target in plain decoding: one for each token, the end of the turn too. */
  readonly plainCalls: number;
  /** Tokens that each model has evaluated, the tokens of the prompt included. */
  readonly targetEvaluatedTokens: number;
  readonly draftEvaluatedTokens: number;
}

/** How a pair compares with plain decoding of the same requests by the same target. */
export interface Comparison {
  /**
   * The time of plain decoding over the time of speculative decoding; below 1 where it is slower.
   */
  readonly speedup: number;
  readonly requests: number;
}

export type Failure =
  | {
      readonly code: 'prompt_too_long';
      readonly promptTokens: number;
      readonly contextTokens: number;
    }
  | { readonly code: 'model_file_invalid'; readonly file: string; readonly reason: string }
  | { readonly code: 'model_failed'; readonly reason: string };

/** Whole characters, and the tokens of the answer up to their end. */
export type Piece = readonly [text: string, completionTokens: number];

export type FromChild =
  | {
      readonly type: 'prompt';
      readonly id: number;
      readonly promptTokens: number;
      /** Plain texts by which the model's chat template ends a turn, where it has such. */
      readonly stopTexts: readonly string[];
      /** Of earlier requests to the pair; null before the first comparison. */
      readonly comparison: Comparison | null;
    }
  | {
      readonly type: 'pieces';
      readonly id: number;
      readonly pieces: readonly Piece[];
      /** Up to the end of the pieces. */
      readonly counts: SpeculativeCounts;
    }
  | {
      readonly type: 'answered';
      readonly id: number;
      readonly completionTokens: number;
      readonly finishReason: 'stop' | 'length';
      readonly counts: SpeculativeCounts;
    }
  /** The pair is free again; a comparison may have followed the answer. */
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly failure: Failure };
