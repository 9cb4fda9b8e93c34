import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { isTeamId, type Member, type TeamRole } from '#events/teams/team.vocabulary.js';
import { reject } from './teams.errors.js';
import { Teams } from './teams.js';

/** Who asks: the account that a credential acts for, and its user. */
export interface TeamAsker {
  readonly accountId: string;
  readonly userId: number;
}

/** The rights of a caller in a team. */
export interface TeamAccess {
  readonly teamId: string;
  /** The account directly above. */
  readonly parentId: string;
  /** An account above acts as an owner. */
  readonly role: TeamRole;
  readonly isAbove: boolean;
  /** Null for an account above whose user is no member. */
  readonly member: Member | null;
}

/**
 * What a caller may do in a team: an account above it everything, a member what the role allows.
 * @throws DomainError `team_not_found`, also for a team of others
 */
export class TeamAccessQuery extends Query<TeamAccess> {
  constructor(
    readonly teamId: string,
    readonly asker: TeamAsker,
  ) {
    super();
  }
}

@QueryHandler(TeamAccessQuery)
export class TeamAccessHandler implements IQueryHandler<TeamAccessQuery> {
  constructor(private readonly teams: Teams) {}

  async execute({ teamId, asker }: TeamAccessQuery): Promise<TeamAccess> {
    const { accountId, userId } = asker;
    const { team, members } = await this.teams.find(teamId);
    // A credential of one team says nothing in another one.
    const isOfOther = isTeamId(accountId) && accountId !== teamId;
    const found = [...members.values()].find((one) => one.userId === userId);
    const member = isOfOther ? null : (found ?? null);
    const { parentId } = team;
    const isAbove = (await this.teams.accountsAbove(team)).includes(accountId);
    const access = { teamId, parentId, isAbove, member };
    if (isAbove) return { ...access, role: 'owner' };
    if (member) return { ...access, role: member.role };
    return reject('team_not_found', `team_id: there is no team ${teamId} that the caller may see`);
  }
}

/** @throws DomainError `team_role_missing` unless an account above asks */
export const demandAbove = ({ isAbove }: TeamAccess): void => {
  if (!isAbove) reject('team_role_missing', 'only an account above the team may do this');
};

/** @throws DomainError `team_role_missing` unless an owner of an account above asks */
export const demandOwnerAbove = (
  access: TeamAccess,
  { member }: { readonly member?: Pick<Member, 'role'> },
): void => {
  demandAbove(access);
  if (member === undefined || member.role === 'owner') return;
  reject('team_role_missing', 'only an owner of an account above the team may do this');
};

/** @throws DomainError `team_role_missing` for the key of another member, but for managers */
export const demandKeyOf = ({ role, member }: TeamAccess, userId: number): void => {
  if (member?.userId === userId || role === 'owner' || role === 'admin') return;
  reject('team_role_missing', 'only an owner or admin revokes the keys of other members');
};
