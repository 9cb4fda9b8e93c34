import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const audioErrors = {
  audio_invalid: { status: 400, param: 'file' },
  audio_too_long: { status: 413, param: 'file' },
  audio_program_missing: { status: 501 },
  audio_field_invalid: { status: 400 },
  audio_field_unsupported: { status: 400 },
  audio_model_unavailable: { status: 503, param: 'model' },
  audio_translation_unavailable: { status: 501, param: 'model' },
  audio_not_priced: { status: 501 },
  audio_job_not_found: { status: 404, param: 'id' },
  audio_job_unfinished: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type AudioErrorCode = keyof typeof audioErrors;

export const reject = (code: AudioErrorCode, detail: string): never => {
  throw new DomainError<AudioErrorCode>(code, detail);
};

/** Work that did not end with an answer. */
export class AudioRunError extends Error {
  override readonly name = 'AudioRunError';

  constructor(
    /** `busy`: try again soon. `away`: nothing can do the work now. */
    readonly kind: TaskOutage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: AudioRunError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'audio_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'audio_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'audio_failed', message };
  }
};

export const audioFailures: readonly FailureMapping[] = [
  mapFailure(
    AudioRunError,
    describe,
    {
      audio_busy: { status: 503 },
      audio_unavailable: { status: 503 },
      audio_failed: { status: 502 },
    },
    'known',
  ),
];
