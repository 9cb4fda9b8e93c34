import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** A proof that was not verified or made, for no fault of its own; nothing is charged. */
export class ProofsFailureError extends Error {
  override readonly name = 'ProofsFailureError';

  constructor(
    /** `busy`: try again soon. `away`: no process can do it now. */
    readonly kind: 'busy' | 'away' | 'failed' | 'proving' | 'prover_missing' | 'unprovable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: ProofsFailureError): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'proofs_busy', message, retryAfterSeconds: 1 };
    case 'away':
      return { status: 503, code: 'proofs_unavailable', message, retryAfterSeconds: 5 };
    case 'failed':
      return { status: 502, code: 'proofs_failed', message };
    case 'proving':
      return { status: 503, code: 'snapshot_not_ready', message, retryAfterSeconds: 10 };
    case 'prover_missing':
      return { status: 503, code: 'snapshot_prover_missing', message };
    case 'unprovable':
      return { status: 503, code: 'snapshot_not_provable', message };
  }
};

export const proofsFailures: readonly FailureMapping[] = [
  mapFailure(
    ProofsFailureError,
    describe,
    {
      proofs_busy: { status: 503 },
      proofs_unavailable: { status: 503 },
      proofs_failed: { status: 502 },
      snapshot_not_ready: { status: 503 },
      snapshot_prover_missing: { status: 503 },
      snapshot_not_provable: { status: 503 },
    },
    'known',
  ),
];
