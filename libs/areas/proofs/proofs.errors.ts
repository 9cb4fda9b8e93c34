import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const proofsErrors = {
  proof_key_not_found: { status: 404, param: 'key_id' },
  proof_key_retired: { status: 409, param: 'key_id' },
  proof_key_id_taken: { status: 409, param: 'key_id' },
  proof_key_built_in: { status: 409, param: 'key_id' },
  proof_key_invalid: { status: 400, param: 'verification_key' },
  too_many_proof_keys: { status: 409 },
  proof_not_priced: { status: 501 },
  proof_malformed: { status: 400 },
  proof_batch_not_groth16: { status: 400, param: 'proofs' },
  proof_coordinate_out_of_field: { status: 422 },
  proof_point_off_curve: { status: 422 },
  proof_point_in_wrong_subgroup: { status: 422 },
  proof_point_at_infinity: { status: 422 },
  proof_scalar_out_of_field: { status: 422 },
  proof_input_out_of_field: { status: 422 },
  proof_input_count_wrong: { status: 422 },
  proof_scheme_mismatch: { status: 422 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type ProofsErrorCode = keyof typeof proofsErrors;

export const reject = (code: ProofsErrorCode, detail: string): never => {
  throw new DomainError<ProofsErrorCode>(code, detail);
};

/** A proof that a thread has read, and that no valid proof looks like: the reading is charged. */
export class UnreadableProofError extends DomainError<ProofsErrorCode> {}
