import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const fleetErrors = {
  worker_rig_not_found: { status: 404, param: 'id' },
  rig_not_up: { status: 409, param: 'id' },
  rig_name_taken: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type FleetErrorCode = keyof typeof fleetErrors;

export const reject = (code: FleetErrorCode, message: string): never => {
  throw new DomainError<FleetErrorCode>(code, message);
};
