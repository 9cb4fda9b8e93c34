import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const packageErrors = {
  package_model_unknown: { status: 404, param: 'model_source' },
  package_model_unsuitable: { status: 422, param: 'model_source' },
  package_too_large: { status: 422, param: 'model_source' },
  package_not_priced: { status: 501 },
  package_limit_reached: { status: 409 },
  package_not_found: { status: 404, param: 'package_uuid' },
  package_not_ready: { status: 409, param: 'package_uuid' },
  package_expired: { status: 410, param: 'package_uuid' },
  package_range_unsatisfiable: { status: 416, param: 'range' },
  package_downloads_busy: { status: 429 },
  package_root_expired: { status: 503 },
  package_root_invalid: { status: 422 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type PackageErrorCode = keyof typeof packageErrors;

export const reject = (
  code: PackageErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<PackageErrorCode>(code, detail, metadata);
};

export const notFound = (packageUuid: string): never =>
  reject('package_not_found', `there is no package ${packageUuid}; see GET /api/v1/scif/packages`);
