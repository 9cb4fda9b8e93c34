/** The messages between the engine and its child, which come in lists. Types only. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** A call of a tool that the model made earlier, and what the tool answered. */
export interface PastCall {
  readonly name: string;
  /** The parsed arguments. */
  readonly arguments: unknown;
  readonly result: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Of an assistant only, behind its content. */
  readonly calls?: readonly PastCall[];
}

export interface ToolFunction {
  readonly name: string;
  readonly description?: string;
  /** The arguments, in the subset of JSON Schema that a grammar can express. */
  readonly parameters: JsonObject;
}

export interface Tools {
  readonly functions: readonly ToolFunction[];
  /** `auto`: the model calls one or answers. `required`: it calls one of them. */
  readonly choice: 'auto' | 'required';
}

export type FinishReason = 'stop' | 'length' | 'tool_calls';

/** One token of an answer, as the model itself rated it: before temperature, top-p and grammar. */
export interface TokenLogprob {
  readonly token: string;
  /** Natural logarithm. */
  readonly logprob: number;
  /** In UTF-8; null where the vocabulary has none for the token. */
  readonly bytes: readonly number[] | null;
}

export interface RatedToken extends TokenLogprob {
  /** The likeliest tokens in its place, best first. */
  readonly top: readonly TokenLogprob[];
}

export interface ChildSettings {
  /** Models kept in memory; an idle one is dropped when another needs its place. */
  readonly loadedModelsMax: number;
  /** A context is no longer than this, whatever the model was trained for. */
  readonly contextTokensMax: number;
  /** Answers of one model that are generated at once. */
  readonly sequencesMax: number;
  /** Estimated memory of the contexts of one model; one answer at a time is always possible. */
  readonly contextBytesMax: number;
  /** Models of this size and above read the tokens of several answers in one batch. */
  readonly batchedModelBytesMin: number;
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
  /** For each choice; 0 counts the prompt and writes nothing. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  /** Of the first choice; each further one has the next. */
  readonly seed: number;
  /** How many answers are wanted. */
  readonly choices: number;
  /** The answer is JSON of this shape, in the subset that a grammar can express. */
  readonly jsonSchema?: JsonObject;
  readonly tools?: Tools;
  /** Rates each token, with this many of the likeliest ones; 0 to 20. */
  readonly topLogprobs?: number;
  readonly adapter?: TaskAdapter;
}

export type ToChild<Task = GenerationTask> =
  | { readonly type: 'generate'; readonly id: number; readonly task: Task }
  /** The reader took some deltas. */
  | { readonly type: 'read'; readonly id: number; readonly deltas: number }
  /** One choice has reached a stop string. */
  | { readonly type: 'stop'; readonly id: number; readonly choice: number }
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

export interface DeltaLetter {
  readonly type: 'delta';
  readonly id: number;
  readonly choice: number;
  /** Whole characters, never part of one; of the answer, or of the JSON of a call's arguments. */
  readonly text: string;
  /** Of this choice, up to here. */
  readonly completionTokens: number;
  /** The text is of a call; its name comes with the first delta. */
  readonly call?: { readonly name?: string };
  readonly logprobs?: readonly RatedToken[];
}

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
  | DeltaLetter
  | {
      readonly type: 'ended';
      readonly id: number;
      readonly choice: number;
      readonly completionTokens: number;
      readonly finishReason: FinishReason;
    }
  /** Every choice has ended. */
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly failure: Failure };
