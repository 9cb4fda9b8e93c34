/** The messages between the engine and its thread. */
import { type ChatMessage } from '../language-model/language-model.protocol.js';
import { type RunReport } from './run/layer-run.js';

/** How a pipeline divides a model. */
export interface Division {
  readonly stages: number;
  readonly standbys: number;
  /** The address at which stages listen. */
  readonly host: string;
}

export interface LayersTask {
  readonly modelFile: string;
  /** Changes when the file does, so that a replaced file is loaded again. */
  readonly fileVersion: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly stop: readonly string[];
  /** Null runs all layers in the thread itself. */
  readonly division: Division | null;
}

export interface ThreadSettings {
  /** Whole models, and pipelines, that are kept; an idle one gives its place to another. */
  readonly residentsMax: number;
  /** An idle pipeline ends after it. */
  readonly idleMsMax: number;
  /** Deltas that may be ahead of the reader before the model waits. */
  readonly unreadDeltasMax: number;
}

export type ToThread =
  | { readonly type: 'generate'; readonly id: number; readonly task: LayersTask }
  /** The reader took one delta. */
  | { readonly type: 'read'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

/** Why a generation failed: classes do not survive the trip between threads. */
export interface ThreadFailure {
  readonly code: string;
  readonly message: string;
}

export type FromThread =
  | {
      readonly type: 'delta';
      readonly id: number;
      readonly text: string;
      readonly promptTokens: number;
      readonly completionTokens: number;
    }
  | {
      readonly type: 'done';
      readonly id: number;
      readonly promptTokens: number;
      readonly completionTokens: number;
      readonly finishReason: 'stop' | 'length';
      readonly report: RunReport;
    }
  | { readonly type: 'failed'; readonly id: number; readonly failure: ThreadFailure };
