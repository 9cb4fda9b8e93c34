import {
  InvitationIssued,
  InvitationWithdrawn,
  MemberJoined,
  MemberRemoved,
  MemberRoleChanged,
  TeamClosed,
  TeamCreated,
  type TeamEvent,
} from '#events/teams/team.events.js';
import { type Member, type TeamRole } from '#events/teams/team.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { membersAfter, NO_MEMBERS, type TeamMembers } from '#projections/teams/team-members.js';
import { reject } from './teams.errors.js';

export const MEMBERS_MAX = 200;
/** Open ones of a team. */
export const INVITATIONS_MAX = 50;

type Granted = Pick<Member, 'memberId' | 'userId' | 'role'>;

/** `by` is the role of who asks. The account above acts as an owner. */
export type TeamCommand =
  | { readonly type: 'CreateTeam'; readonly data: TeamCreated['data']; readonly owner: Granted }
  | {
      readonly type: 'IssueInvitation';
      readonly data: InvitationIssued['data'];
      readonly by: TeamRole;
    }
  | {
      readonly type: 'WithdrawInvitation';
      readonly data: InvitationWithdrawn['data'];
      readonly by: TeamRole;
    }
  | {
      readonly type: 'AcceptInvitation';
      readonly data: Pick<MemberJoined['data'], 'teamId' | 'memberId' | 'userId' | 'joinedAt'> & {
        readonly secretHash: string;
      };
    }
  | {
      readonly type: 'ChangeRole';
      readonly data: Omit<MemberRoleChanged['data'], 'userId'>;
      readonly by: TeamRole;
    }
  | {
      readonly type: 'RemoveMember';
      readonly data: Omit<MemberRemoved['data'], 'userId' | 'reason'>;
      /** `self`: the member leaves. */
      readonly by: TeamRole | 'self';
    }
  /** The account of the team is closed. */
  | { readonly type: 'CloseTeam'; readonly data: Omit<TeamClosed['data'], 'parentId'> }
  /** The rules of groups grant the user a role, or none. */
  | {
      readonly type: 'ApplyRule';
      readonly data: Pick<MemberJoined['data'], 'teamId' | 'memberId' | 'userId'> & {
        readonly role: TeamRole | null;
        readonly at: string;
      };
    };

type Invitation = Omit<InvitationIssued['data'], 'teamId'>;

export interface TeamState {
  /** Null before it is created. */
  readonly team: TeamCreated['data'] | null;
  /** Null while it is open. */
  readonly closedAt: string | null;
  readonly members: TeamMembers;
  /** Neither accepted nor withdrawn; they may have expired. */
  readonly invitations: readonly Invitation[];
}

const MANAGERS: readonly TeamRole[] = ['owner', 'admin'];

/** An admin makes, changes and removes no owner. */
const demandManager = (by: TeamRole, ...roles: readonly TeamRole[]): void => {
  if (!MANAGERS.includes(by)) {
    reject('team_role_missing', `the role ${by} does not manage members; an owner or admin does`);
  }
  if (by !== 'owner' && roles.includes('owner')) {
    reject('team_role_missing', 'only an owner, or the account above, makes and changes owners');
  }
};

const demandRoom = ({ members }: TeamState): void => {
  if (members.size < MEMBERS_MAX) return;
  reject('too_many_members', `a team has at most ${MEMBERS_MAX} members: remove one first`);
};

const memberIn = ({ members }: TeamState, memberId: string): Member =>
  members.get(memberId) ?? reject('member_not_found', `the team has no member ${memberId}`);

const memberOf = ({ members }: TeamState, userId: number): Member | undefined =>
  [...members.values()].find((member) => member.userId === userId);

type CommandOf<Type> = Extract<TeamCommand, { readonly type: Type }>;

const createTeam = (
  { data, owner }: CommandOf<'CreateTeam'>,
  { team }: TeamState,
): readonly TeamEvent[] => {
  if (team) return team.name === data.name ? [] : reject('team_exists', 'the team exists');
  const { teamId, createdAt: joinedAt } = data;
  return [
    TeamCreated.of(data),
    MemberJoined.of({ teamId, ...owner, source: 'creation', joinedAt }),
  ];
};

const issueInvitation = (
  { data, by }: CommandOf<'IssueInvitation'>,
  state: TeamState,
): readonly TeamEvent[] => {
  demandManager(by, data.role);
  const { invitations, closedAt } = state;
  if (closedAt !== null) reject('team_closed', `the team was closed at ${closedAt}`);
  if (invitations.some(({ invitationId }) => invitationId === data.invitationId)) return [];
  demandRoom(state);
  const open = invitations.filter(({ expiresAt }) => expiresAt > data.issuedAt);
  if (open.length >= INVITATIONS_MAX) {
    const detail = `a team has at most ${INVITATIONS_MAX} open invitations: withdraw one first`;
    reject('too_many_invitations', detail);
  }
  return [InvitationIssued.of(data)];
};

const withdrawInvitation = (
  { data, by }: CommandOf<'WithdrawInvitation'>,
  { invitations }: TeamState,
): readonly TeamEvent[] => {
  const found = invitations.find(({ invitationId }) => invitationId === data.invitationId);
  if (!found) return reject('invitation_not_found', 'the team has no such open invitation');
  demandManager(by, found.role);
  return [InvitationWithdrawn.of(data)];
};

const acceptInvitation = (
  { data: { secretHash, ...joining } }: CommandOf<'AcceptInvitation'>,
  state: TeamState,
): readonly TeamEvent[] => {
  const found = state.invitations.find((invitation) => invitation.secretHash === secretHash);
  if (!found || found.expiresAt <= joining.joinedAt) {
    return reject('invalid_invitation', 'token: expected one of an open invitation');
  }
  if (memberOf(state, joining.userId)) {
    reject('already_member', 'the user is a member of the team; its role can be changed');
  }
  demandRoom(state);
  const { role, invitationId } = found;
  return [MemberJoined.of({ ...joining, role, source: 'invitation', invitationId })];
};

const changeRole = (
  { data, by }: CommandOf<'ChangeRole'>,
  state: TeamState,
): readonly TeamEvent[] => {
  const { userId, role } = memberIn(state, data.memberId);
  demandManager(by, role, data.role);
  return role === data.role ? [] : [MemberRoleChanged.of({ ...data, userId })];
};

const removeMember = (
  { data, by }: CommandOf<'RemoveMember'>,
  state: TeamState,
): readonly TeamEvent[] => {
  const { userId, role } = memberIn(state, data.memberId);
  if (by !== 'self') demandManager(by, role);
  return [MemberRemoved.of({ ...data, userId, reason: by === 'self' ? 'left' : 'removed' })];
};

/** The keys of a membership end with it, so none is left. */
const closeTeam = (
  { data: { teamId, closedAt } }: CommandOf<'CloseTeam'>,
  { parentId }: TeamCreated['data'],
  state: TeamState,
): readonly TeamEvent[] => {
  if (state.closedAt !== null) return [];
  const removed = [...state.members.values()].map(({ memberId, userId }) =>
    MemberRemoved.of({ teamId, memberId, userId, reason: 'removed', removedAt: closedAt }),
  );
  return [...removed, TeamClosed.of({ teamId, parentId, closedAt })];
};

/** A rule touches no membership that has another source. */
const applyRule = (
  { data: { teamId, memberId, userId, role, at } }: CommandOf<'ApplyRule'>,
  state: TeamState,
): readonly TeamEvent[] => {
  const known = memberOf(state, userId);
  if (!known) {
    if (role === null || state.closedAt !== null) return [];
    demandRoom(state);
    const joined = { teamId, memberId, userId, role, source: 'provider', joinedAt: at } as const;
    return [MemberJoined.of(joined)];
  }
  if (known.source !== 'provider' || known.role === role) return [];
  const ofMember = { teamId, memberId: known.memberId, userId };
  return role === null
    ? [MemberRemoved.of({ ...ofMember, reason: 'rule_ended', removedAt: at })]
    : [MemberRoleChanged.of({ ...ofMember, role, changedAt: at })];
};

const decide = (command: TeamCommand, state: TeamState): readonly TeamEvent[] => {
  if (command.type === 'CreateTeam') return createTeam(command, state);
  const { teamId } = command.data;
  if (!state.team) return reject('team_not_found', `there is no team ${teamId}`);
  switch (command.type) {
    case 'IssueInvitation':
      return issueInvitation(command, state);
    case 'WithdrawInvitation':
      return withdrawInvitation(command, state);
    case 'AcceptInvitation':
      return acceptInvitation(command, state);
    case 'ChangeRole':
      return changeRole(command, state);
    case 'RemoveMember':
      return removeMember(command, state);
    case 'CloseTeam':
      return closeTeam(command, state.team, state);
    case 'ApplyRule':
      return applyRule(command, state);
  }
};

const invitationsAfter = (
  invitations: TeamState['invitations'],
  { type, data }: TeamEvent,
): TeamState['invitations'] => {
  switch (type) {
    case 'InvitationIssued': {
      const { teamId: _, ...invitation } = data;
      // Expired ones are forgotten, so that the state does not grow with the age of a team.
      return [...invitations.filter(({ expiresAt }) => expiresAt > data.issuedAt), invitation];
    }
    case 'InvitationWithdrawn':
    case 'MemberJoined':
      return invitations.filter(({ invitationId }) => invitationId !== data.invitationId);
    case 'TeamClosed':
      return [];
    case 'TeamCreated':
    case 'MemberRoleChanged':
    case 'MemberRemoved':
      return invitations;
  }
};

const evolve = (state: TeamState, event: TeamEvent): TeamState => ({
  team: event.type === 'TeamCreated' ? event.data : state.team,
  closedAt: event.type === 'TeamClosed' ? event.data.closedAt : state.closedAt,
  members: membersAfter(state.members, event),
  invitations: invitationsAfter(state.invitations, event),
});

export const teamDecider: Decider<TeamCommand, TeamState, TeamEvent> = {
  initialState: { team: null, closedAt: null, members: NO_MEMBERS, invitations: [] },
  decide,
  evolve,
};
