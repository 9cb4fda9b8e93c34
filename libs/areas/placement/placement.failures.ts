import { type FailureMapping, mapFailure } from '#platform/runtime/areas/failure.js';
import { RigsUnknownError } from './placement-rigs.port.js';

const RETRY_AFTER_SECONDS = 5;

/** Every technical failure of the area, as its caller sees it. */
export const placementFailures: readonly FailureMapping[] = [
  mapFailure(
    RigsUnknownError,
    ({ message }) => ({
      status: 503,
      code: 'rigs_unknown',
      message,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
    { rigs_unknown: { status: 503 } },
  ),
];
