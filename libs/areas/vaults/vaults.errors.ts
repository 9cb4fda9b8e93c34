import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type FailureDescription,
  type FailureMapping,
  mapFailure,
} from '#platform/runtime/areas/failure.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const vaultErrors = {
  vault_not_found: { status: 404, param: 'vault_uuid' },
  vault_document_not_found: { status: 404, param: 'document_id' },
  vault_model_not_found: { status: 404, param: 'model' },
  vault_model_unsuitable: { status: 400, param: 'model' },
  invalid_marking: { status: 400, param: 'classification_marking' },
  marking_above_clearance: { status: 403, param: 'classification_marking' },
  clearance_of_account_needed: { status: 403 },
  too_many_vaults: { status: 409 },
  too_many_clearances: { status: 409, param: 'key_id' },
  vault_full: { status: 409 },
  vault_text_empty: { status: 400, param: 'payload_text' },
  vault_query_empty: { status: 400, param: 'query' },
  vault_document_too_large: { status: 413, param: 'payload_text' },
  vault_field_of_other_action: { status: 400 },
  vault_rotation_under_way: { status: 409 },
  vault_key_changed: { status: 409 },
  vault_not_priced: { status: 501 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type VaultErrorCode = keyof typeof vaultErrors;

export const reject = (code: VaultErrorCode, detail: string): never => {
  throw new DomainError<VaultErrorCode>(code, detail);
};

/** The same for a vault of another account, an erased one and one that never was. */
export const vaultNotFound = (): never => reject('vault_not_found', 'there is no such vault');

/** The same for a document above the clearance of the caller. */
export const documentNotFound = (): never =>
  reject('vault_document_not_found', 'there is no such document in the vault');

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
