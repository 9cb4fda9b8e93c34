import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const cleanroomsErrors = {
  cleanroom_not_found: { status: 404, param: 'cleanroom_uuid' },
  cleanroom_role_missing: { status: 403 },
  cleanroom_budget_invalid: { status: 400 },
  cleanroom_participant_exists: { status: 409 },
  cleanroom_participant_unknown: { status: 404 },
  cleanroom_full: { status: 409 },
  cleanroom_schema_missing: { status: 409 },
  cleanroom_schema_invalid: { status: 400, param: 'columns' },
  cleanroom_schema_in_use: { status: 409 },
  cleanroom_schema_superseded: { status: 409 },
  cleanroom_rows_invalid: { status: 400, param: 'rows' },
  cleanroom_contribution_exists: { status: 409 },
  cleanroom_contribution_not_found: { status: 404 },
  cleanroom_contributors_missing: { status: 409 },
  cleanroom_not_priced: { status: 501 },
  cleanroom_nonce_invalid: { status: 400, param: 'nonce' },
  cleanroom_attester_unavailable: { status: 503 },
  cleanroom_enclave_unavailable: { status: 503 },
  cleanroom_enclave_key_unknown: { status: 409, param: 'enclave_key_id' },
  cleanroom_deposit_invalid: { status: 400 },
  cleanroom_deposit_too_large: { status: 413, param: 'sealed_rows' },
  cleanroom_deposit_unreadable: { status: 422, param: 'sealed_rows' },
  cleanroom_deposit_replayed: { status: 409, param: 'sealed_rows' },
  cleanroom_model_unavailable: { status: 404, param: 'model' },
  cleanroom_prompt_unreadable: { status: 422, param: 'messages[0].content' },
  cleanroom_prompt_invalid: { status: 400, param: 'messages[0].content' },
  cleanroom_prompt_too_long: { status: 400, param: 'messages[0].content' },
  fhe_keys_not_found: { status: 404, param: 'fhe.key_file_id' },
  fhe_keys_lifetime_missing: { status: 400, param: 'fhe.key_file_id' },
  fhe_keys_malformed: { status: 422, param: 'fhe.key_file_id' },
  fhe_keys_insufficient: { status: 422, param: 'fhe.key_file_id' },
  fhe_ciphertext_malformed: { status: 422, param: 'messages' },
  fhe_ciphertext_unsupported: { status: 422, param: 'messages' },
  fhe_operation_unsupported: { status: 400, param: 'fhe' },
  fhe_unavailable: { status: 503 },
  cleanroom_query_invalid: { status: 400 },
  cleanroom_rows_changed: { status: 409 },
  privacy_budget_exceeded: { status: 402 },
  privacy_query_running: { status: 409 },
  privacy_reservation_ended: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type CleanroomsErrorCode = keyof typeof cleanroomsErrors;

export const reject = (
  code: CleanroomsErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<CleanroomsErrorCode>(code, detail, metadata);
};
