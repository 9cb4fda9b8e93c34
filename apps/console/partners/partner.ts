import { session } from '../shell/session.js';
import { query } from '../shell/location.js';

/** An Admin names the partner whose figures the page shows. Null: none is named yet. */
export const partnerAsked = (): string | undefined | null => {
  const isAdmin = session.value?.user?.role === 'Admin';
  return query.value.get('partner') ?? (isAdmin ? null : undefined);
};
