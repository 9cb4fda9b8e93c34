import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** An ingest that did not happen, for no fault of the caller; nothing is charged. */
export class ObservationFailure extends Error {
  override readonly name = 'ObservationFailure';

  constructor(
    /** `busy`: try again soon. `away`: this process reads no images now. */
    readonly kind: 'busy' | 'away',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: ObservationFailure): FailureDescription =>
  kind === 'busy'
    ? { status: 503, code: 'observation_busy', message, retryAfterSeconds: 1 }
    : { status: 503, code: 'observation_unavailable', message, retryAfterSeconds: 5 };

export const observationFailures: readonly FailureMapping[] = [
  mapFailure(
    ObservationFailure,
    describe,
    { observation_busy: { status: 503 }, observation_unavailable: { status: 503 } },
    'known',
  ),
];
