import { type Caller } from '#areas/identity/authentication/caller.js';
import { insufficientRole } from '../identity/identity.failures.js';
import { type AccountOptionDto } from './requests.dto.js';

const ADMIN = 'Admin';

/**
 * The account that a query asks for. Default: the caller's own.
 * @throws HttpFailure 403 for another account, unless the caller is an Admin
 */
export const accountAsked = (
  { account_id: asked }: Pick<AccountOptionDto, 'account_id'>,
  { accountId: own, role }: Pick<Caller, 'accountId' | 'role'>,
): string => {
  if (asked === undefined || asked === own || role === ADMIN) return asked ?? own;
  throw insufficientRole([ADMIN]);
};
