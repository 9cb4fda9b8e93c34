import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { TeamAccounts, type TeamFunds } from './team-accounts.port.js';
import { type TeamAccess } from './team-access.query.js';
import { reject } from './teams.errors.js';

/**
 * Moves money from the account above to a team, or takes back what the team has not spent. One
 * request moves it once.
 * @throws DomainError `team_not_found` unless the account is directly above; `not_related`,
 *   `allotment_above_available`, `allotment_conflict`
 */
export class AllotCommand extends Command<TeamFunds> {
  constructor(
    readonly by: Pick<TeamAccess, 'teamId' | 'parentId'> & { readonly accountId: string },
    readonly data: {
      readonly direction: 'down' | 'up';
      readonly amountMicroUsd: string;
      readonly reason: string;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AllotCommand)
export class AllotHandler implements ICommandHandler<AllotCommand> {
  constructor(private readonly accounts: TeamAccounts) {}

  async execute({ by, data, context }: AllotCommand): Promise<TeamFunds> {
    const { teamId, parentId, accountId } = by;
    if (accountId !== parentId) {
      reject('team_not_found', `team_id: ${teamId} is not directly below the account that asks`);
    }
    const { direction, ...terms } = data;
    const [fromId, toId] = direction === 'down' ? [parentId, teamId] : [teamId, parentId];
    const { requestId: allotmentId } = context;
    await this.accounts.move({ fromId, toId, allotmentId, ...terms }, context);
    return this.accounts.fundsOf(teamId);
  }
}
