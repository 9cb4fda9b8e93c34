import { type EmbeddedInput, type EmbeddingInput } from './embeddings.protocol.js';
import { EmbeddingEngineError, type EmbeddingFailure } from './embeddings.errors.js';

/** A few inputs for one model file. */
export interface EmbedderRequest {
  /** Absolute path. */
  readonly modelFile: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions: number | null;
}

/** Runs the models of one format, elsewhere than on this event loop; starts with the first use. */
export interface Embedder {
  /** @throws EmbeddingEngineError; InputFault for one of the inputs */
  embed(request: EmbedderRequest): Promise<readonly EmbeddedInput[]>;
  /** Requests that run or wait fail with `closed`. */
  close(): Promise<void>;
}

/** The fault of one input of a request. */
export class InputFault extends Error {
  override readonly name = 'InputFault';

  constructor(
    readonly code: EmbeddingFailure,
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

export const faultOf = (code: EmbeddingFailure, message: string, at: number | null): Error =>
  at === null ? new EmbeddingEngineError(code, message) : new InputFault(code, message, at);
