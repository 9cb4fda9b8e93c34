import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type TeamGrant } from '#events/identity/group-rule.events.js';
import { type TeamRole } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { teams as listedTeams, teamsOfUser } from '#projections/teams/teams.projection.js';
import { type TeamAccess } from './team-access.query.js';
import { Teams } from './teams.js';

type By = Pick<TeamAccess, 'teamId' | 'role' | 'member'>;

/** @throws DomainError `member_not_found`, `team_role_missing` */
export class ChangeMemberRoleCommand extends Command<void> {
  constructor(
    readonly by: By,
    readonly data: { readonly memberId: string; readonly role: TeamRole },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * Ends a membership, with the keys that belong to it. Every member may end its own.
 * @throws DomainError `member_not_found`, `team_role_missing`
 */
export class RemoveMemberCommand extends Command<void> {
  constructor(
    readonly by: By,
    readonly memberId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Makes the memberships of a user by rules as the rules are now; other memberships stay. */
export class ApplyTeamRulesCommand extends Command<void> {
  constructor(
    readonly userId: UserId,
    readonly granted: readonly TeamGrant[],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeMemberRoleCommand)
export class ChangeMemberRoleHandler implements ICommandHandler<ChangeMemberRoleCommand> {
  constructor(
    private readonly teams: Teams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ by, data, context }: ChangeMemberRoleCommand): Promise<void> {
    const change = { teamId: by.teamId, ...data, changedAt: instant(this.clock) };
    await this.teams.change({ type: 'ChangeRole', data: change, by: by.role }, context);
  }
}

@CommandHandler(RemoveMemberCommand)
export class RemoveMemberHandler implements ICommandHandler<RemoveMemberCommand> {
  constructor(
    private readonly teams: Teams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ by: { teamId, role, member }, memberId, context }: RemoveMemberCommand) {
    const by = member?.memberId === memberId ? 'self' : role;
    const data = { teamId, memberId, removedAt: instant(this.clock) };
    await this.teams.change({ type: 'RemoveMember', data, by }, context);
  }
}

@CommandHandler(ApplyTeamRulesCommand)
export class ApplyTeamRulesHandler implements ICommandHandler<ApplyTeamRulesCommand> {
  constructor(
    private readonly teams: Teams,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A team that a rule names and that is not there grants nothing. */
  async execute({ userId, granted, context }: ApplyTeamRulesCommand): Promise<void> {
    const range = { prefix: teamsOfUser(userId) };
    const { documents } = await allDocuments(this.projections, listedTeams, range);
    const roles = new Map<string, TeamRole | null>(
      documents.map(({ document }) => [document.teamId, null]),
    );
    for (const { teamId, role } of granted) roles.set(teamId, role);
    const at = instant(this.clock);
    for (const [teamId, role] of roles) {
      const data = { teamId, memberId: context.requestId, userId, role, at };
      const isThere = await this.teams.find(teamId).then(
        () => true,
        () => false,
      );
      if (isThere) await this.teams.change({ type: 'ApplyRule', data }, context);
    }
  }
}
