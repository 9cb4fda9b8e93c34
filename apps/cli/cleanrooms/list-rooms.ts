import { RoomsQuery } from '#areas/cleanrooms/cleanroom.queries.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { cleanroomMembers } from '#projections/cleanrooms/cleanroom-members.projection.js';
import { cleanrooms } from '#projections/cleanrooms/cleanrooms.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { ofUser } from '../user-option.js';

export interface ListRoomsOptions extends CommonOptions {
  readonly user?: string;
  readonly page: number;
}

const LIMIT = 50;

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'cleanrooms'],
  installation: 'exists',
  projections: [cleanrooms, cleanroomMembers],
} as const;

export const listRooms = async (
  { user, page }: ListRoomsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const found = await withQuipu(invocation, NEEDS, async ({ queries }) => {
    const accountId =
      user === undefined
        ? null
        : await ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
    return queries.execute(new RoomsQuery(accountId, { page, limit: LIMIT }));
  });
  const json = found.rooms.map(({ room, budget }) => ({
    id: room.number,
    uuid: room.cleanroomId,
    name: room.name,
    privacy_budget_total_epsilon: budget.total / 1e6,
    privacy_budget_spent_epsilon: budget.spent / 1e6,
    privacy_budget_remaining_epsilon: budget.remaining / 1e6,
    computation_count: room.computations,
  }));
  const rows = json.map((room) => [
    String(room.id),
    room.uuid,
    room.name,
    `${room.privacy_budget_spent_epsilon} of ${room.privacy_budget_total_epsilon}`,
    String(room.computation_count),
  ]);
  return {
    json: { cleanrooms: json, page, total_records: found.total },
    text:
      rows.length === 0
        ? 'There are no clean rooms here.'
        : inColumns([['ID', 'UUID', 'NAME', 'EPSILON', 'ANSWERS'], ...rows]),
  };
};
