/** The errors of the language model engine: a closed set, distinguished by `code`. */
export type LanguageModelErrorCode =
  | 'busy'
  | 'prompt_too_long'
  | 'model_file_missing'
  | 'model_file_invalid'
  | 'adapter_file_missing'
  | 'adapter_file_invalid'
  | 'model_failed'
  | 'crashed'
  | 'closed';

export class LanguageModelError extends Error {
  override readonly name: string = 'LanguageModelError';

  constructor(
    readonly code: LanguageModelErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** The queue is full; the caller should retry later. */
export class EngineBusyError extends LanguageModelError {
  override readonly name = 'EngineBusyError';

  constructor(readonly waitingMax: number) {
    super('busy', `the language model engine already has ${waitingMax} requests waiting`);
  }
}

/** The rendered prompt leaves no room for a single token of answer. */
export class PromptTooLongError extends LanguageModelError {
  override readonly name = 'PromptTooLongError';

  constructor(
    readonly promptTokens: number,
    readonly contextTokens: number,
  ) {
    super(
      'prompt_too_long',
      `the prompt has ${promptTokens} tokens and the model's context holds ${contextTokens}, ` +
        'answer included',
    );
  }
}

export class ModelFileMissingError extends LanguageModelError {
  override readonly name = 'ModelFileMissingError';

  constructor(readonly modelFile: string) {
    super('model_file_missing', `there is no model file ${modelFile}`);
  }
}

export class ModelFileInvalidError extends LanguageModelError {
  override readonly name = 'ModelFileInvalidError';

  constructor(
    readonly modelFile: string,
    reason: string,
  ) {
    super('model_file_invalid', `${modelFile} is not a usable GGUF file: ${reason}`);
  }
}

export class AdapterFileMissingError extends LanguageModelError {
  override readonly name = 'AdapterFileMissingError';

  constructor(readonly adapterFile: string) {
    super('adapter_file_missing', `there is no adapter file ${adapterFile}`);
  }
}

/** Not a LoRA in the GGUF format, or one of another model. */
export class AdapterFileInvalidError extends LanguageModelError {
  override readonly name = 'AdapterFileInvalidError';

  constructor(
    readonly adapterFile: string,
    reason: string,
  ) {
    super('adapter_file_invalid', `${adapterFile} is not a usable adapter: ${reason}`);
  }
}

/** The model was loaded and then failed, e.g. on missing memory or an invalid chat template. */
export class ModelFailedError extends LanguageModelError {
  override readonly name = 'ModelFailedError';

  constructor(reason: string) {
    super('model_failed', `the model failed: ${reason}`);
  }
}

/** The process that runs the models ended; the next request starts another. */
export class EngineCrashedError extends LanguageModelError {
  override readonly name = 'EngineCrashedError';

  constructor(reason: string) {
    super('crashed', `the language model process ended: ${reason}`);
  }
}

export class EngineClosedError extends LanguageModelError {
  override readonly name = 'EngineClosedError';

  constructor() {
    super('closed', 'the language model engine is closed');
  }
}
