import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const observationErrors = {
  observation_payload_invalid: { status: 400, param: 'compressed_payload_hex' },
  observation_region_invalid: { status: 400, param: 'target_region' },
  observation_search_invalid: { status: 400 },
  observation_file_not_found: { status: 404, param: 'file_id' },
  observation_too_large: { status: 413 },
  observation_store_full: { status: 409 },
  observation_not_priced: { status: 501 },
  observation_not_found: { status: 404, param: 'id' },
  observation_preview_missing: { status: 404, param: 'id' },
  observation_collection_not_found: { status: 404, param: 'collection' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type ObservationErrorCode = keyof typeof observationErrors;

export const reject = (code: ObservationErrorCode, detail: string): never => {
  throw new DomainError<ObservationErrorCode>(code, detail);
};
