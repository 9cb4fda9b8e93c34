import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** Work on a vault that did not happen, for no fault of the caller; nothing is charged. */
export class VaultFailure extends Error {
  override readonly name = 'VaultFailure';

  constructor(
    /** `busy`: try again soon. `full`: the memory of this process does not hold the vectors. */
    readonly kind: 'busy' | 'full' | 'away',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const describe = ({ kind, message }: VaultFailure): FailureDescription => {
  switch (kind) {
    case 'busy':
      return { status: 503, code: 'vault_busy', message, retryAfterSeconds: 1 };
    case 'full':
      return { status: 503, code: 'vault_memory_full', message, retryAfterSeconds: 30 };
    case 'away':
      return { status: 503, code: 'vault_unavailable', message, retryAfterSeconds: 5 };
  }
};

export const vaultFailures: readonly FailureMapping[] = [
  mapFailure(
    VaultFailure,
    describe,
    {
      vault_busy: { status: 503 },
      vault_memory_full: { status: 503 },
      vault_unavailable: { status: 503 },
    },
    'known',
  ),
];
