import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Member } from '#events/teams/team.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  teams as listedTeams,
  teamsBelow,
  teamsOfUser,
} from '#projections/teams/teams.projection.js';
import { TeamAccounts, type TeamFunds } from './team-accounts.port.js';
import { type TeamAsker } from './team-access.query.js';
import { type TeamState } from './team.decider.js';
import { type KnownTeam, Teams } from './teams.js';

export interface TeamView {
  readonly teamId: string;
  readonly parentId: string;
  readonly depth: number;
  readonly name: string;
  readonly createdAt: string;
  /** Null while it is open. */
  readonly closedAt: string | null;
  readonly memberCount: number;
  readonly funds: TeamFunds;
}

export interface TeamDetails extends TeamView {
  readonly members: readonly Member[];
  /** The open ones, without their tokens. */
  readonly invitations: TeamState['invitations'];
}

export interface TeamsView {
  /** Directly below the account. */
  readonly below: readonly TeamView[];
  /** Of which the user is a member. */
  readonly memberships: readonly TeamView[];
  readonly position: bigint;
}

export class TeamsQuery extends Query<TeamsView> {
  constructor(
    readonly asker: TeamAsker,
    /** With the closed ones below. */
    readonly includesClosed = false,
  ) {
    super();
  }
}

/** @throws DomainError `team_not_found` */
export class TeamQuery extends Query<TeamDetails> {
  constructor(readonly teamId: string) {
    super();
  }
}

/**
 * The accounts above a team, the nearest first.
 * @throws DomainError `team_not_found`
 */
export class AccountsAboveQuery extends Query<readonly string[]> {
  constructor(readonly teamId: string) {
    super();
  }
}

/** Every team below an account, at whatever distance, up to a number. */
export class TeamsBelowQuery extends Query<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly most: number,
  ) {
    super();
  }
}

/** The lists are read models; all figures are of the streams. */
@QueryHandler(TeamsQuery)
export class TeamsHandler implements IQueryHandler<TeamsQuery> {
  constructor(
    private readonly teams: Teams,
    private readonly accounts: TeamAccounts,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ asker, includesClosed }: TeamsQuery): Promise<TeamsView> {
    const below = await this.#listed(teamsBelow(asker.accountId), includesClosed);
    const memberships = await this.#listed(teamsOfUser(asker.userId), false);
    return { below: below.teams, memberships: memberships.teams, position: below.position };
  }

  async #listed(prefix: string, includesClosed: boolean) {
    const { documents, position } = await allDocuments(this.projections, listedTeams, { prefix });
    const listed = documents.filter(({ document }) => includesClosed || !document.isClosed);
    const views = listed.map(async ({ document: { teamId } }) =>
      viewOf(await this.teams.find(teamId), await this.accounts.fundsOf(teamId)),
    );
    return { teams: await Promise.all(views), position };
  }
}

const viewOf = ({ team, closedAt, members }: KnownTeam, funds: TeamFunds): TeamView => ({
  ...team,
  closedAt,
  memberCount: members.size,
  funds,
});

@QueryHandler(TeamQuery)
export class TeamHandler implements IQueryHandler<TeamQuery> {
  constructor(
    private readonly teams: Teams,
    private readonly accounts: TeamAccounts,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ teamId }: TeamQuery): Promise<TeamDetails> {
    const found = await this.teams.find(teamId);
    const now = instant(this.clock);
    return {
      ...viewOf(found, await this.accounts.fundsOf(teamId)),
      members: [...found.members.values()],
      invitations: found.invitations.filter(({ expiresAt }) => expiresAt > now),
    };
  }
}

@QueryHandler(AccountsAboveQuery)
export class AccountsAboveHandler implements IQueryHandler<AccountsAboveQuery> {
  constructor(private readonly teams: Teams) {}

  async execute({ teamId }: AccountsAboveQuery): Promise<readonly string[]> {
    return this.teams.accountsAbove((await this.teams.find(teamId)).team);
  }
}

@QueryHandler(TeamsBelowQuery)
export class TeamsBelowHandler implements IQueryHandler<TeamsBelowQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  async execute({ accountId, most }: TeamsBelowQuery): Promise<readonly string[]> {
    const found: string[] = [];
    const left = [accountId];
    for (let next = left.shift(); next !== undefined && found.length < most; next = left.shift()) {
      const range = { prefix: teamsBelow(next) };
      const { documents } = await allDocuments(this.projections, listedTeams, range);
      const ids = documents.map(({ document }) => document.teamId);
      found.push(...ids);
      left.push(...ids);
    }
    return found.slice(0, most);
  }
}
