import { randomUUID } from 'node:crypto';
import { CreateRoomCommand } from '#areas/cleanrooms/create-room.handler.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { type CompositionRule, type Role } from '#events/cleanrooms/cleanroom.events.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { ofUser } from '../user-option.js';

export interface CreateRoomOptions extends CommonOptions {
  readonly user: string;
  readonly name: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly rule: CompositionRule;
  readonly contributorsMin: number;
  readonly contributor: readonly string[];
  readonly analyst: readonly string[];
}

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'cleanrooms'],
  installation: 'exists',
  projections: [],
} as const;

export const createRoom = async (
  options: CreateRoomOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { user, name, epsilon, delta, rule, contributorsMin, contributor, analyst } = options;
  const room = await withQuipu(invocation, NEEDS, async ({ commands, queries }) => {
    const accountOf = (option: string, one: string): Promise<string> =>
      ofUser(option, one, queries.execute(new AccountOfUserQuery(one)));
    const inRole = (names: readonly string[], role: Role) =>
      Promise.all(
        names.map(async (one) => ({ accountId: await accountOf(`--${role}`, one), role })),
      );
    const terms = {
      ...{ accountId: await accountOf('--user', user), name, rule, contributorsMin },
      ...{ totalEpsilon: epsilon, totalDelta: delta },
      participants: [
        ...(await inRole(contributor, 'contributor')),
        ...(await inRole(analyst, 'analyst')),
      ],
    };
    return commands.execute(new CreateRoomCommand(terms, contextOf(randomUUID(), 'cli')));
  });
  return {
    json: { id: room.number, cleanroom_uuid: room.cleanroomId, limit: room.limit },
    text: `Clean room ${room.number} is ${room.cleanroomId}.`,
  };
};
