import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';
import { type TaskOutage } from '#platform/tasks/task.error.js';

/** A computation that did not run, for no fault of its own. */
export class OrbitFailure extends Error {
  override readonly name = 'OrbitFailure';

  constructor(
    /** `busy`: try again soon. `away`: no process can compute now. */
    readonly kind: TaskOutage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: OrbitFailure): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'orbit_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'orbit_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'orbit_failed', message };
  }
};

export const orbitFailures: readonly FailureMapping[] = [
  mapFailure(OrbitFailure, describe, {
    orbit_busy: { status: 503 },
    orbit_unavailable: { status: 503 },
    orbit_failed: { status: 502 },
  }),
];
