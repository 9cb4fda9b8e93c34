import { session } from '../shell/session.js';
import { query } from '../shell/location.js';

/** The fields of a partner that the pages show. */
export interface Partner {
  readonly id: number;
  readonly partner_name: string;
  readonly partner_slug: string;
  readonly revenue_share_pct: number;
  readonly revenue_share_max_pct: number;
  readonly fleet_rigs: readonly string[];
  readonly registered_at: string;
}

/** An Admin names the partner whose figures the page shows. Null: none is named yet. */
export const partnerAsked = (): string | undefined | null => {
  const isAdmin = session.value?.user?.role === 'Admin';
  return query.value.get('partner') ?? (isAdmin ? null : undefined);
};
