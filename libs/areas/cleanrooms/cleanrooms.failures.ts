import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** A query that was not answered, for no fault of its own. Nothing is spent and nothing charged. */
export class CleanroomFailure extends Error {
  override readonly name = 'CleanroomFailure';

  constructor(
    readonly kind: 'busy' | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: CleanroomFailure): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'cleanroom_busy', message, retryAfterSeconds: 1 };
    case 'failed':
      return { status: 502, code: 'cleanroom_failed', message };
  }
};

export const cleanroomsFailures: readonly FailureMapping[] = [
  mapFailure(
    CleanroomFailure,
    describe,
    { cleanroom_busy: { status: 503 }, cleanroom_failed: { status: 502 } },
    'known',
  ),
];
