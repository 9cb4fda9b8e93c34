import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const partnersErrors = {
  /** Also for a partner that the caller does not manage. */
  partner_not_found: { status: 404, param: 'partner_id' },
  partner_required: { status: 400, param: 'partner_id' },
  partner_not_assigned: { status: 403 },
  partner_slug_taken: { status: 409, param: 'partner_slug' },
  share_above_ceiling: { status: 409, param: 'revenue_share_pct' },
  sub_user_not_found: { status: 404, param: 'user_id' },
  member_of_partner: { status: 409, param: 'user_id' },
  not_a_partner_user: { status: 409, param: 'user_id' },
  rig_in_fleet: { status: 409, param: 'rig' },
  rig_not_in_fleet: { status: 404, param: 'rig' },
  rig_not_in_catalog: { status: 404, param: 'rig' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type PartnersErrorCode = keyof typeof partnersErrors;

/** @throws DomainError */
export const reject = (code: PartnersErrorCode, detail: string): never => {
  throw new DomainError<PartnersErrorCode>(code, detail);
};
