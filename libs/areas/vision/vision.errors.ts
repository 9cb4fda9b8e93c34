import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const visionErrors = {
  vision_image_unreadable: { status: 400, param: 'image_base64' },
  vision_source_invalid: { status: 400, param: 'image_base64' },
  vision_stream_needed: { status: 400, param: 'stream_id' },
  vision_session_not_found: { status: 404, param: 'session_id' },
  vision_session_empty: { status: 409, param: 'session_id' },
  too_many_vision_streams: { status: 429, param: 'stream_id' },
  vision_not_priced: { status: 501 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type VisionErrorCode = keyof typeof visionErrors;

export const reject = (code: VisionErrorCode, detail: string): never => {
  throw new DomainError<VisionErrorCode>(code, detail);
};

/** A frame that was not looked at, for no fault of the caller; it is free. */
export class VisionError extends Error {
  override readonly name = 'VisionError';

  constructor(
    /** `busy`: try again soon. `away`: no process can look now. */
    readonly kind: TaskOutage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: VisionError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'vision_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'vision_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'vision_failed', message };
  }
};

export const visionFailures: readonly FailureMapping[] = [
  mapFailure(
    VisionError,
    describe,
    {
      vision_busy: { status: 503 },
      vision_unavailable: { status: 503 },
      vision_failed: { status: 502 },
    },
    'known',
  ),
];
