import { MemberJoined, MemberRemoved, TeamCreated } from '#events/teams/team.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A reference: the stream of the team has the rest. */
export interface ListedTeam {
  readonly teamId: string;
}

type TeamsEvent = TeamCreated | MemberJoined | MemberRemoved;

/** The teams directly below an account. */
export const teamsBelow = (accountId: string): string => `below/${accountId}/`;

/** The teams of which a user is a member. */
export const teamsOfUser = (userId: number): string => `member/${userId}/`;

const keyOf = ({ type, data }: TeamsEvent): string => {
  const place = type === 'TeamCreated' ? teamsBelow(data.parentId) : teamsOfUser(data.userId);
  return place + data.teamId;
};

/** Which teams are below an account, and of which is a user a member? */
export const teams: Projection<TeamsEvent, ListedTeam> = {
  name: 'teams',
  version: 1,
  on: { TeamCreated, MemberJoined, MemberRemoved },
  keys: (event) => [keyOf(event)],
  initial: () => ({ teamId: '' }),
  project: ({ type, data: { teamId } }) => (type === 'MemberRemoved' ? null : { teamId }),
};
