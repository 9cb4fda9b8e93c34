/** The messages between the embedder and its child. Types only: the child loads no other file. */

export interface GgufRequest {
  readonly id: number;
  /** Absolute path. */
  readonly modelFile: string;
  /** Changes when the file does, so that a replaced file is loaded again. */
  readonly fileVersion: string;
  readonly inputs: readonly (string | readonly number[])[];
}

export type ToGgufChild =
  { readonly type: 'embed'; readonly request: GgufRequest } | { readonly type: 'close' };

export type GgufFailureCode =
  'model_file_invalid' | 'model_failed' | 'input_too_long' | 'tokens_invalid';

export type FromGgufChild =
  | {
      readonly type: 'embedded';
      readonly id: number;
      /** As the model gives them, of any length; 64-bit floats keep the model's 32-bit ones. */
      readonly vectors: readonly Float64Array[];
      readonly tokens: readonly number[];
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly code: GgufFailureCode;
      readonly reason: string;
      /** The input at fault; null where the model is. */
      readonly at: number | null;
    };

export interface GgufChildSettings {
  /** Models kept in memory; the one unused longest is dropped for another. */
  readonly loadedModelsMax: number;
  /** A context is no longer than this, whatever the model was trained for. */
  readonly contextTokensMax: number;
}
