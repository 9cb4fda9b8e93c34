import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TeamAccounts } from './team-accounts.port.js';
import { Teams } from './teams.js';

/**
 * Closes a team: its account, then its memberships with their keys. A repeat changes nothing, but
 * it returns money that has come since.
 * @throws DomainError `team_not_found`; `holds_open`, `sub_accounts_open`, `account_overdrawn`
 */
export class CloseTeamCommand extends Command<void> {
  constructor(
    readonly teamId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The second half of it: the account is closed. */
export class EndTeamCommand extends Command<void> {
  constructor(
    readonly data: { readonly teamId: string; readonly closedAt: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndTeamCommand)
export class EndTeamHandler implements ICommandHandler<EndTeamCommand> {
  constructor(private readonly teams: Teams) {}

  async execute({ data, context }: EndTeamCommand): Promise<void> {
    await this.teams.change({ type: 'CloseTeam', data }, context);
  }
}

@CommandHandler(CloseTeamCommand)
export class CloseTeamHandler implements ICommandHandler<CloseTeamCommand> {
  constructor(
    private readonly teams: Teams,
    private readonly accounts: TeamAccounts,
    private readonly ending: EndTeamHandler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ teamId, context }: CloseTeamCommand): Promise<void> {
    await this.teams.find(teamId);
    await this.accounts.close(teamId, context);
    const data = { teamId, closedAt: instant(this.clock) };
    await this.ending.execute(new EndTeamCommand(data, context));
  }
}
