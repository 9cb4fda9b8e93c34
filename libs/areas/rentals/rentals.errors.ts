import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const rentalErrors = {
  rental_not_found: { status: 404 },
  rig_not_for_rent: { status: 404, param: 'rig' },
  ports_exhausted: { status: 503 },
  workspace_unreachable: { status: 503 },
  sync_parameters_missing: { status: 400 },
  sync_parameter_invalid: { status: 400 },
  sync_path_invalid: { status: 400, param: 'file_path' },
  sync_key_invalid: { status: 401, param: 'api_key' },
  sync_job_not_found: { status: 404, param: 'job_id' },
  sync_not_a_file: { status: 409, param: 'file_path' },
  sync_base_missing: { status: 409, param: 'file_path' },
  sync_base_mismatch: { status: 409, param: 'file_content' },
  sync_file_too_large: { status: 413, param: 'file_content' },
  sync_delta_invalid: { status: 422, param: 'file_content' },
  sync_checksum_mismatch: { status: 422, param: 'checksum' },
} as const;

export type RentalErrorCode = keyof typeof rentalErrors;

export const reject = (code: RentalErrorCode, detail: string): never => {
  throw new DomainError<RentalErrorCode>(code, detail);
};
