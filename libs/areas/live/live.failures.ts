import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** A frame that was not drawn, for no fault of the caller; it is not charged. */
export class LiveError extends Error {
  override readonly name = 'LiveError';

  constructor(
    /**
     * `busy`: try again soon. `away`: no process can draw now. `model`: nothing serves the model.
     * `elsewhere`: another process of the gateway serves the session.
     */
    readonly kind: 'busy' | 'away' | 'failed' | 'model' | 'elsewhere',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: LiveError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'live_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'live_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'live_frame_failed', message };
    case 'model':
      return { status: 503, code: 'live_model_unavailable', message, param: 'model' };
    case 'elsewhere':
      return { status: 503, code: 'live_elsewhere', message, retryAfterSeconds: 1 };
  }
};

export const liveFailures: readonly FailureMapping[] = [
  mapFailure(
    LiveError,
    describe,
    {
      live_busy: { status: 503 },
      live_unavailable: { status: 503 },
      live_frame_failed: { status: 502 },
      live_model_unavailable: { status: 503 },
      live_elsewhere: { status: 503 },
    },
    'known',
  ),
];
