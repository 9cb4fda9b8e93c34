/** Errors of this backend, in addition to the errors that it shares with the llama.cpp engine. */
export type LayersErrorCode =
  'model_unsupported' | 'model_too_large' | 'stage_lost' | 'transport_unavailable';

export class LayersError extends Error {
  override readonly name = 'LayersError';

  constructor(
    readonly code: LayersErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** The file is a sound GGUF that this backend does not compute; the message names what it has. */
export const unsupported = (detail: string): never => {
  throw new LayersError('model_unsupported', `the model cannot be run in layers: ${detail}`);
};
