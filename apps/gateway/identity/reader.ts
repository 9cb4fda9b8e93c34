import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Reader } from '#platform/runtime/projections/reader.js';

/** On whose behalf a caller reads: an Admin sees what belongs to any account. */
export const readerOf = ({ role, accountId }: Pick<Caller, 'role' | 'accountId'>): Reader =>
  role === 'Admin' ? 'admin' : { accountId };
