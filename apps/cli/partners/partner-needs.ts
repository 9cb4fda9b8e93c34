import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { UserId } from '#events/vocabulary.js';
import { type Quipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

/** What the commands compose: the area of partners, and those that its ports are bound to. */
export const PARTNER_NEEDS = {
  areas: ['identity', 'billing', 'partners'],
  installation: 'exists',
  projections: [],
} as const;

/** @throws CommandFailure `user_not_found` */
export const userIdOf = async ({ queries }: Quipu, username: string): Promise<UserId> => {
  const accountId = ofUser('--user', username, queries.execute(new AccountOfUserQuery(username)));
  return UserId.parse(Number(await accountId));
};
