import { MemberJoined, MemberRemoved, TeamClosed, TeamCreated } from '#events/teams/team.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A reference: the stream of the team has the rest. */
export interface ListedTeam {
  readonly teamId: string;
  readonly isClosed: boolean;
}

type TeamsEvent = TeamCreated | TeamClosed | MemberJoined | MemberRemoved;

/** The teams directly below an account. */
export const teamsBelow = (accountId: string): string => `below/${accountId}/`;

/** The teams of which a user is a member. */
export const teamsOfUser = (userId: number): string => `member/${userId}/`;

const placeOf = ({ type, data }: TeamsEvent): string => {
  switch (type) {
    case 'TeamCreated':
    case 'TeamClosed':
      return teamsBelow(data.parentId);
    case 'MemberJoined':
    case 'MemberRemoved':
      return teamsOfUser(data.userId);
  }
};

/** Which teams are below an account, and of which is a user a member? */
export const teams: Projection<TeamsEvent, ListedTeam> = {
  name: 'teams',
  version: 2,
  on: { TeamCreated, TeamClosed, MemberJoined, MemberRemoved },
  keys: (event) => [placeOf(event) + event.data.teamId],
  initial: () => ({ teamId: '', isClosed: false }),
  project: ({ type, data: { teamId } }) =>
    type === 'MemberRemoved' ? null : { teamId, isClosed: type === 'TeamClosed' },
};
