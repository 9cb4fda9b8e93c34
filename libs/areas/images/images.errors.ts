import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const imagesErrors = {
  image_field_unsupported: { status: 400 },
  image_unreadable: { status: 400, param: 'image' },
  image_too_large: { status: 413, param: 'image' },
  image_not_found: { status: 404, param: 'id' },
  images_not_priced: { status: 501 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type ImagesErrorCode = keyof typeof imagesErrors;

export const reject = (code: ImagesErrorCode, detail: string): never => {
  throw new DomainError<ImagesErrorCode>(code, detail);
};

/** Pictures that were not made, for no fault of the caller; nothing more is charged. */
export class ImagesError extends Error {
  override readonly name = 'ImagesError';

  constructor(
    /**
     * `busy`: try again soon. `away`: no process can draw now. `model`: no server serves the model.
     * `refused`: the upstream does not accept the request.
     */
    readonly kind: TaskOutage | 'model' | 'refused',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: ImagesError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'images_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'images_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'images_failed', message };
    case 'model':
      return { status: 503, code: 'image_model_unavailable', message };
    case 'refused':
      return { status: 400, code: 'image_refused_upstream', message };
  }
};

export const imagesFailures: readonly FailureMapping[] = [
  mapFailure(
    ImagesError,
    describe,
    {
      images_busy: { status: 503 },
      images_unavailable: { status: 503 },
      images_failed: { status: 502 },
      image_model_unavailable: { status: 503 },
      image_refused_upstream: { status: 400 },
    },
    'known',
  ),
];
