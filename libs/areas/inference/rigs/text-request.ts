import { type JsonObject } from './chat-backend.js';
import { type TextAdapter } from './text-adapter.js';

/** An earlier call of a tool, and what the tool answered. */
export interface PastCall {
  readonly name: string;
  /** The parsed arguments. */
  readonly arguments: unknown;
  readonly result: string;
}

/** One turn of a conversation, as a language model's chat template takes it. */
export interface TextMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Of an assistant only, behind its content. */
  readonly calls?: readonly PastCall[];
}

export interface TextTools {
  readonly functions: readonly {
    readonly name: string;
    readonly description?: string;
    /** The arguments, as a grammar can hold the model to them. */
    readonly parameters: JsonObject;
  }[];
  /** `auto`: the model calls one or answers. `required`: it calls one of them. */
  readonly choice: 'auto' | 'required';
}

/** A request to an engine in this process. */
export interface TextRequest {
  /** Absolute path of the GGUF file. */
  readonly modelFile: string;
  /** Whether a worker without the file copies it from this process; default: no. */
  readonly lendsModel?: boolean;
  readonly messages: readonly TextMessage[];
  /** 0 counts the prompt and writes nothing. */
  readonly maxTokens: number;
  /** 0 to 2; 0 is greedy. */
  readonly temperature: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** The answer is JSON of this shape. */
  readonly jsonSchema?: JsonObject;
  /** How many answers are wanted; default 1. The first has the seed, each further one the next. */
  readonly choices?: number;
  readonly tools?: TextTools;
  /** Rates each token, with this many of the likeliest ones; 0 to 20. */
  readonly topLogprobs?: number;
  /** A line of a batch waits behind interactive requests; default: interactive. */
  readonly priority?: 'batch';
  /** Changes the weights of the model for this request. */
  readonly adapter?: TextAdapter;
}
