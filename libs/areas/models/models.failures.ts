import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** An import that did not happen, for no fault of the caller. */
export class ModelImportFailure extends Error {
  override readonly name = 'ModelImportFailure';

  constructor(
    /** `busy`: try again soon. `away`: this process reads no models now. */
    readonly kind: 'busy' | 'away',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: ModelImportFailure): FailureDescription =>
  kind === 'busy'
    ? { status: 503, code: 'model_import_busy', message, retryAfterSeconds: 1 }
    : { status: 503, code: 'model_import_unavailable', message, retryAfterSeconds: 5 };

export const modelImportFailures: readonly FailureMapping[] = [
  mapFailure(
    ModelImportFailure,
    describe,
    { model_import_busy: { status: 503 }, model_import_unavailable: { status: 503 } },
    'known',
  ),
];
