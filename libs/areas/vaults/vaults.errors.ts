import { DomainError } from '#platform/kernel/domain-error.js';

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
  vault_file_exists: { status: 409, param: 'file_id' },
  vault_text_empty: { status: 400, param: 'payload_text' },
  vault_query_empty: { status: 400, param: 'query' },
  vault_document_too_large: { status: 413, param: 'payload_text' },
  vault_field_of_other_action: { status: 400 },
  vector_store_not_found: { status: 404, param: 'vector_store_id' },
  vector_store_file_not_found: { status: 404, param: 'file_id' },
  vector_store_file_unsuitable: { status: 400, param: 'file_id' },
  vector_store_batch_not_found: { status: 404, param: 'batch_id' },
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
