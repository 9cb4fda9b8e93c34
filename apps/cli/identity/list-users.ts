import { UsersQuery } from '#areas/identity/users/list-users.handler.js';
import { users } from '#projections/identity/users.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';

export interface ListUsersOptions extends CommonOptions {
  readonly page: number;
  readonly limit: number;
}

const ERASED = '(erased)';

export const listUsers = async (
  { page, limit }: ListUsersOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['identity', 'billing'],
    installation: 'exists',
    projections: [users],
  } as const;
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new UsersQuery(page, limit)),
  );
  const rows = found.users.map(({ userId, username, email, role, status, twoFactor }) => [
    String(userId),
    username ?? ERASED,
    email ?? ERASED,
    role,
    status,
    twoFactor ? 'yes' : 'no',
  ]);
  return {
    json: {
      users: found.users.map((user) => ({
        user_id: user.userId,
        account_id: user.accountId,
        username: user.username,
        email: user.email,
        role: user.role,
        status: user.status,
        two_factor_enabled: user.twoFactor,
        registered_at: user.registeredAt,
        password_changed_at: user.passwordChangedAt,
      })),
      page,
      limit,
      total_records: found.total,
    },
    text: inColumns([['ID', 'USERNAME', 'EMAIL', 'ROLE', 'STATUS', 'SECOND FACTOR'], ...rows]),
  };
};
