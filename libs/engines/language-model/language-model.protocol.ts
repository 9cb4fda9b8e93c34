/** The messages between the engine and its child. Types only: the child loads no other file. */

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ChildSettings {
  /** Models kept in memory; an idle one is dropped when another needs its place. */
  readonly loadedModelsMax: number;
  /** A context is no longer than this, whatever the model was trained for. */
  readonly contextTokensMax: number;
  /** Adapters kept in memory for each model; the longest unused is dropped beyond it. */
  readonly adaptersMax: number;
  /** Deltas the child may send ahead of the reader before it pauses. */
  readonly unreadDeltasMax: number;
}

/** A low-rank adapter (LoRA) that changes what the model says. */
export interface TaskAdapter {
  /** Absolute path of a GGUF file of the type `adapter`. */
  readonly file: string;
  /** Changes when the file does. */
  readonly fileVersion: string;
  /** 1 is the strength it was trained for. */
  readonly scale: number;
}

export interface GenerationTask {
  readonly modelFile: string;
  /** Changes when the file does, so that a replaced file is loaded again. */
  readonly fileVersion: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  /** The answer is JSON of this shape, in the subset that a grammar can express. */
  readonly jsonSchema?: JsonObject;
  readonly adapter?: TaskAdapter;
}

export type ToChild<Task = GenerationTask> =
  | { readonly type: 'generate'; readonly id: number; readonly task: Task }
  /** The reader took one delta. */
  | { readonly type: 'read'; readonly id: number }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

/** Why a generation failed, as plain data: classes do not survive the trip between processes. */
export type Failure =
  | {
      readonly code: 'prompt_too_long';
      readonly promptTokens: number;
      readonly contextTokens: number;
    }
  | { readonly code: 'model_file_invalid'; readonly reason: string }
  | { readonly code: 'adapter_file_invalid'; readonly reason: string }
  | { readonly code: 'model_failed'; readonly reason: string };

export type FromChild =
  | {
      /** The prompt was rendered and counted; generation begins. */
      readonly type: 'prompt';
      readonly id: number;
      readonly promptTokens: number;
      /** Plain texts by which the model's chat template ends a turn, where it has such. */
      readonly stopTexts: readonly string[];
      /** Null where the adapter was in place; absent without one. */
      readonly adapterSwapMs?: number | null;
    }
  | {
      /** Whole characters, never part of one; `completionTokens` counts all tokens so far. */
      readonly type: 'delta';
      readonly id: number;
      readonly text: string;
      readonly completionTokens: number;
    }
  | {
      readonly type: 'done';
      readonly id: number;
      readonly completionTokens: number;
      readonly finishReason: 'stop' | 'length';
    }
  | { readonly type: 'failed'; readonly id: number; readonly failure: Failure };
