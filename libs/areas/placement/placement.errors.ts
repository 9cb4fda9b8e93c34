import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const placementErrors = {
  placement_not_found: { status: 404, param: 'id' },
  placement_infeasible: { status: 409 },
  too_many_placements: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type PlacementErrorCode = keyof typeof placementErrors;

export const reject = (
  code: PlacementErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<PlacementErrorCode>(code, detail, metadata);
};
