import { type TeamEvent } from '#events/teams/team.events.js';
import { type Member } from '#events/teams/team.vocabulary.js';

/** The members of a team, by the id of their membership. */
export type TeamMembers = ReadonlyMap<string, Member>;

export const NO_MEMBERS: TeamMembers = new Map();

/** Who is in a team? A fold of its stream. */
export const membersAfter = (members: TeamMembers, { type, data }: TeamEvent): TeamMembers => {
  switch (type) {
    case 'TeamCreated':
    case 'InvitationIssued':
    case 'InvitationWithdrawn':
    case 'TeamClosed':
      return members;
    case 'MemberJoined': {
      const { memberId, userId, role, source } = data;
      return new Map([...members, [memberId, { memberId, userId, role, source }]]);
    }
    case 'MemberRoleChanged': {
      const member = members.get(data.memberId);
      if (!member) return members;
      return new Map([...members, [data.memberId, { ...member, role: data.role }]]);
    }
    case 'MemberRemoved':
      return new Map([...members].filter(([memberId]) => memberId !== data.memberId));
  }
};
