import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const dtnErrors = {
  dtn_eid_invalid: { status: 400 },
  dtn_payload_invalid: { status: 400, param: 'payload_hex' },
  dtn_not_priced: { status: 501 },
  dtn_destination_local: { status: 422, param: 'destination_eid' },
  bundle_not_found: { status: 404, param: 'id' },
  bundle_ended: { status: 409, param: 'id' },
  bundle_event_unknown: { status: 400, param: 'Last-Event-ID' },
  too_many_bundle_streams: { status: 429 },
  too_many_waiting_bundles: { status: 429 },
  too_many_route_searches: { status: 429 },
  contact_invalid: { status: 400, param: 'ends_at' },
  contact_not_found: { status: 404, param: 'id' },
  link_exists: { status: 409 },
  link_not_found: { status: 404, param: 'id' },
  contact_plan_full: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type DtnErrorCode = keyof typeof dtnErrors;

export const reject = (
  code: DtnErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): never => {
  throw new DomainError<DtnErrorCode>(code, detail, metadata);
};
