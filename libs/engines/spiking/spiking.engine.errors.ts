/** Errors of the engine; `code` is what a task reports. */
export class SpikingEngineError extends Error {
  override readonly name: string = 'SpikingEngineError';

  constructor(
    readonly code: SpikingFailure,
    message: string,
  ) {
    super(message);
  }
}

export class InvalidInputError extends SpikingEngineError {
  override readonly name = 'InvalidInputError';

  constructor(message: string) {
    super('input_invalid', message);
  }
}

/** `elsewhere`: another worker may have the weights. `final`: every worker would fail alike. */
export const SPIKING_FAILURES = {
  model_unknown: 'elsewhere',
  weights_invalid: 'elsewhere',
  neuron_unsupported: 'final',
  input_invalid: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type SpikingFailure = keyof typeof SPIKING_FAILURES;
