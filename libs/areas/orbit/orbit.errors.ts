import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const orbitErrors = {
  station_not_found: { status: 404, param: 'station_id' },
  station_built_in: { status: 409, param: 'station_id' },
  station_name_taken: { status: 409, param: 'name' },
  too_many_stations: { status: 409 },
  satellite_not_found: { status: 404, param: 'satellite_id' },
  elements_invalid: { status: 400, param: 'data' },
  elements_decayed: { status: 422, param: 'satellite_id' },
  elements_not_propagable: { status: 422, param: 'satellite_id' },
  orbit_window_invalid: { status: 400, param: 'to' },
  pass_not_found: { status: 404 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type OrbitErrorCode = keyof typeof orbitErrors;

export const reject = (code: OrbitErrorCode, detail: string): never => {
  throw new DomainError<OrbitErrorCode>(code, detail);
};
