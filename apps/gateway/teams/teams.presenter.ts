import { type TeamFunds } from '#areas/teams/team-accounts.port.js';
import { type TeamDetails, type TeamsView, type TeamView } from '#areas/teams/team.queries.js';
import { toUsd } from '#platform/kernel/money.js';
import { type TeamDetailsDto, type TeamFundsDto, type TeamsDto } from './teams.dto.js';

export const presentFunds = ({ funded, charged, held, available }: TeamFunds): TeamFundsDto => ({
  funded_usd: toUsd(funded),
  charged_usd: toUsd(charged),
  held_usd: toUsd(held),
  available_usd: toUsd(available),
});

const presentTeam = (team: TeamView) => ({
  team_id: team.teamId,
  parent_id: team.parentId,
  depth: team.depth,
  name: team.name,
  member_count: team.memberCount,
  funds: presentFunds(team.funds),
  created_at: team.createdAt,
  closed_at: team.closedAt,
});

export const presentDetails = ({ members, invitations, ...team }: TeamDetails): TeamDetailsDto => ({
  ...presentTeam(team),
  members: members.map(({ memberId, userId, role, source }) => ({
    member_id: memberId,
    user_id: userId,
    role,
    source,
  })),
  invitations: invitations.map(({ invitationId, role, expiresAt }) => ({
    invitation_id: invitationId,
    role,
    expires_at: expiresAt,
  })),
});

export const presentTeams = ({ below, memberships, position }: TeamsView): TeamsDto => ({
  success: true,
  below: below.map(presentTeam),
  memberships: memberships.map(presentTeam),
  position: position.toString(),
});
