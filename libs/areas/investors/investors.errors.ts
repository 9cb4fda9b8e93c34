import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const investorsErrors = {
  /** Also for a user whose role is not Investor, and for one that the caller may not see. */
  investor_not_found: { status: 404, param: 'investor_id' },
  node_oversold: { status: 409, param: 'share_pct' },
  node_share_not_found: { status: 404, param: 'allocation_id' },
  purchase_in_future: { status: 400, param: 'purchased_on' },
  node_not_in_catalog: { status: 404, param: 'rig' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type InvestorsErrorCode = keyof typeof investorsErrors;

/** @throws DomainError */
export const reject = (code: InvestorsErrorCode, detail: string): never => {
  throw new DomainError<InvestorsErrorCode>(code, detail);
};
