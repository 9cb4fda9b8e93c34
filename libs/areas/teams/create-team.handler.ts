import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { teamIdOf } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TeamAccounts } from './team-accounts.port.js';
import { Teams } from './teams.js';

/**
 * Creates a team with an account below another one: one for each request, however often it is
 * attempted. Its creator is its first owner.
 * @throws DomainError `too_many_sub_accounts`, `tree_too_deep`
 */
export class CreateTeamCommand extends Command<{ readonly teamId: string }> {
  constructor(
    readonly data: { readonly accountId: string; readonly userId: UserId; readonly name: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateTeamCommand)
export class CreateTeamHandler implements ICommandHandler<CreateTeamCommand> {
  constructor(
    private readonly teams: Teams,
    private readonly accounts: TeamAccounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: CreateTeamCommand): Promise<{ readonly teamId: string }> {
    const { accountId: parentId, userId, name } = data;
    const { requestId: memberId } = context;
    const teamId = teamIdOf(memberId);
    const depth = await this.accounts.add({ accountId: parentId, childId: teamId }, context);
    const team = { teamId, parentId, depth, name, createdAt: instant(this.clock) };
    const owner = { memberId, userId, role: 'owner' } as const;
    await this.teams.change({ type: 'CreateTeam', data: team, owner }, context);
    return { teamId };
  }
}
