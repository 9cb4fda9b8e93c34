/** `elsewhere`: another worker may have the weights. `final`: every worker would fail alike. */
export const SPEECH_FAILURES = {
  model_missing: 'elsewhere',
  weights_invalid: 'elsewhere',
  audio_invalid: 'final',
  crashed: 'elsewhere',
  closed: 'elsewhere',
} as const;
export type SpeechFailure = keyof typeof SPEECH_FAILURES;

/** Errors of the engine; `code` is what a task reports. */
export class SpeechEngineError extends Error {
  override readonly name = 'SpeechEngineError';

  constructor(
    readonly code: SpeechFailure,
    message: string,
  ) {
    super(message);
  }
}

/** Why a file is no audio that can be transcribed. */
export type AudioFault =
  /** The bytes contradict themselves, or are no audio. */
  | 'audio_invalid'
  /** Decoding would exceed a limit. */
  | 'audio_too_long'
  /** A program of the machine is needed, and is not installed. */
  | 'program_missing'
  /** The decoder ended without a result. */
  | 'decoder_failed';

export class AudioError extends Error {
  override readonly name = 'AudioError';

  constructor(
    readonly fault: AudioFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
