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
  cleanroom_action_unavailable: { status: 501, param: 'action' },
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
