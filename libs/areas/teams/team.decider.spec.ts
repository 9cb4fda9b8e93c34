import { describe, it } from '@jest/globals';
import {
  InvitationIssued,
  InvitationWithdrawn,
  MemberJoined,
  MemberRemoved,
  MemberRoleChanged,
  TeamClosed,
  TeamCreated,
} from '#events/teams/team.events.js';
import { type TeamRole } from '#events/teams/team.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { INVITATIONS_MAX, MEMBERS_MAX, type TeamCommand, teamDecider } from './team.decider.js';

const team = deciderSpecOf(teamDecider);

const idOf = (n: number): string => `019ac5d9-20c1-7c55-9d0f-${String(n).padStart(12, '0')}`;
const teamId = `team-${idOf(0)}`;
const AT = '2026-11-26T10:00:00.000Z';
const END = '2026-12-03T10:00:00.000Z';
const SECRET = 'ab'.repeat(32);

const created = TeamCreated.of({ teamId, parentId: '7', depth: 1, name: 'search', createdAt: AT });

const memberOf = (n: number, role: TeamRole) =>
  ({ memberId: idOf(n), userId: UserId.parse(n), role }) as const;

const joined = (
  n: number,
  role: TeamRole,
  source: 'creation' | 'invitation' | 'provider' = 'invitation',
  more: { readonly invitationId?: string } = {},
) => MemberJoined.of({ teamId, ...memberOf(n, role), source, ...more, joinedAt: AT });

const owned = [created, joined(1, 'owner', 'creation')] as const;

const terms = (n: number, role: TeamRole = 'developer', secretHash = SECRET, expiresAt = END) => ({
  ...{ teamId, invitationId: idOf(n), role, secretHash, issuedAt: AT, expiresAt },
});
const invited = (...args: Parameters<typeof terms>) => InvitationIssued.of(terms(...args));

const invite = (by: TeamRole, ...args: Parameters<typeof terms>): TeamCommand => ({
  ...{ type: 'IssueInvitation', data: terms(...args), by },
});
const withdraw = (by: TeamRole, n: number): TeamCommand => ({
  type: 'WithdrawInvitation',
  data: { teamId, invitationId: idOf(n), withdrawnAt: AT },
  by,
});
const withdrawn = (n: number) =>
  InvitationWithdrawn.of({ teamId, invitationId: idOf(n), withdrawnAt: AT });
const accept = (n: number, secretHash = SECRET, joinedAt = AT): TeamCommand => ({
  type: 'AcceptInvitation',
  data: { teamId, memberId: idOf(n), userId: UserId.parse(n), secretHash, joinedAt },
});
const changeRole = (by: TeamRole, n: number, role: TeamRole): TeamCommand => ({
  type: 'ChangeRole',
  data: { teamId, memberId: idOf(n), role, changedAt: AT },
  by,
});
const remove = (by: TeamRole | 'self', n: number): TeamCommand => ({
  type: 'RemoveMember',
  data: { teamId, memberId: idOf(n), removedAt: AT },
  by,
});
const removed = (n: number, reason: 'removed' | 'left' | 'rule_ended' = 'removed') =>
  MemberRemoved.of({
    ...{ teamId, memberId: idOf(n), userId: UserId.parse(n), reason, removedAt: AT },
  });
const rule = (n: number, role: TeamRole | null, memberId = idOf(n)): TeamCommand => ({
  type: 'ApplyRule',
  data: { teamId, memberId, userId: UserId.parse(n), role, at: AT },
});

describe('a team', () => {
  const create = { type: 'CreateTeam', data: created.data, owner: memberOf(1, 'owner') } as const;

  it('is created once, with its first owner', () => {
    team
      .given()
      .when(create)
      .then(...owned);
    team
      .given(...owned)
      .when(create)
      .thenNothing();
    const other = { ...create, data: { ...create.data, name: 'other' } };
    team
      .given(...owned)
      .when(other)
      .thenThrows('team_exists');
  });

  it('is there before anything else', () => {
    team.given().when(invite('owner', 2)).thenThrows('team_not_found');
  });
});

describe('a team that is closed', () => {
  const close = { type: 'CloseTeam', data: { teamId, closedAt: AT } } as const;
  const closed = TeamClosed.of({ teamId, parentId: '7', closedAt: AT });
  const ended = [...owned, joined(2, 'developer'), removed(1), removed(2), closed] as const;

  it('removes its members, whose keys end', () => {
    team
      .given(...owned, joined(2, 'developer'))
      .when(close)
      .then(removed(1), removed(2), closed);
    team
      .given(...ended)
      .when(close)
      .thenNothing();
  });

  it('has no new member and no invitation', () => {
    team
      .given(...ended)
      .when(invite('owner', 3))
      .thenThrows('team_closed');
    team
      .given(...owned, invited(3), removed(1), closed)
      .when(accept(3))
      .thenThrows('invalid_invitation');
    team
      .given(...ended)
      .when(rule(3, 'developer'))
      .thenNothing();
  });
});

describe('an invitation', () => {
  it.each<TeamRole>(['owner', 'admin'])('is made by an %s', (by) => {
    team
      .given(...owned)
      .when(invite(by, 2))
      .then(invited(2));
    team
      .given(...owned, invited(2))
      .when(invite(by, 2))
      .thenNothing();
  });

  it.each<TeamRole>(['developer', 'billing', 'auditor'])('is not made by a %s', (by) => {
    team
      .given(...owned)
      .when(invite(by, 2))
      .thenThrows('team_role_missing');
    team
      .given(...owned, invited(2))
      .when(withdraw(by, 2))
      .thenThrows('team_role_missing');
  });

  it('for an owner is made by an owner', () => {
    team
      .given(...owned)
      .when(invite('admin', 2, 'owner'))
      .thenThrows('team_role_missing');
    team
      .given(...owned)
      .when(invite('owner', 2, 'owner'))
      .then(invited(2, 'owner'));
    team
      .given(...owned, invited(2, 'owner'))
      .when(withdraw('admin', 2))
      .thenThrows('team_role_missing');
  });

  it('is accepted once', () => {
    const joins = joined(3, 'developer', 'invitation', { invitationId: idOf(2) });
    team
      .given(...owned, invited(2))
      .when(accept(3))
      .then(joins);
    team
      .given(...owned, invited(2), joins)
      .when(accept(4))
      .thenThrows('invalid_invitation');
  });

  it('is not accepted by a member, with another secret, or after its end', () => {
    team
      .given(...owned, invited(2))
      .when(accept(1))
      .thenThrows('already_member');
    team
      .given(...owned, invited(2))
      .when(accept(3, 'cd'.repeat(32)))
      .thenThrows('invalid_invitation');
    team
      .given(...owned, invited(2))
      .when(accept(3, SECRET, END))
      .thenThrows('invalid_invitation');
  });

  it('is withdrawn', () => {
    team
      .given(...owned, invited(2))
      .when(withdraw('admin', 2))
      .then(withdrawn(2));
    team
      .given(...owned, invited(2), withdrawn(2))
      .when(accept(3))
      .thenThrows('invalid_invitation');
    team
      .given(...owned)
      .when(withdraw('owner', 2))
      .thenThrows('invitation_not_found');
  });

  it('is one of a limited number of open ones', () => {
    const many = Array.from({ length: INVITATIONS_MAX }, (_, n) => invited(n + 10));
    team
      .given(...owned, ...many)
      .when(invite('owner', 2))
      .thenThrows('too_many_invitations');
    const [first, ...rest] = many;
    const ended = { ...first, data: { ...terms(10), expiresAt: AT } } as InvitationIssued;
    team
      .given(...owned, ended, ...rest)
      .when(invite('owner', 2))
      .then(invited(2));
  });
});

describe('a member', () => {
  const both = [...owned, joined(2, 'developer'), joined(3, 'admin')] as const;

  it('gets another role from an owner or admin', () => {
    const changed = MemberRoleChanged.of({ teamId, ...memberOf(2, 'auditor'), changedAt: AT });
    team
      .given(...both)
      .when(changeRole('admin', 2, 'auditor'))
      .then(changed);
    team
      .given(...both, changed)
      .when(changeRole('owner', 2, 'auditor'))
      .thenNothing();
    team
      .given(...both)
      .when(changeRole('billing', 2, 'auditor'))
      .thenThrows('team_role_missing');
    team
      .given(...both)
      .when(changeRole('admin', 2, 'owner'))
      .thenThrows('team_role_missing');
    team
      .given(...both)
      .when(changeRole('admin', 1, 'auditor'))
      .thenThrows('team_role_missing');
    team
      .given(...both)
      .when(changeRole('owner', 9, 'auditor'))
      .thenThrows('member_not_found');
  });

  it('is removed by an owner or admin, and leaves by itself', () => {
    team
      .given(...both)
      .when(remove('admin', 2))
      .then(removed(2));
    team
      .given(...both)
      .when(remove('self', 2))
      .then(removed(2, 'left'));
    team
      .given(...both)
      .when(remove('auditor', 3))
      .thenThrows('team_role_missing');
    team
      .given(...both)
      .when(remove('admin', 1))
      .thenThrows('team_role_missing');
    team
      .given(...both, removed(2))
      .when(remove('owner', 2))
      .thenThrows('member_not_found');
  });

  it('is one of a limited number', () => {
    const many = Array.from({ length: MEMBERS_MAX - 1 }, (_, n) => joined(n + 10, 'auditor'));
    team
      .given(...owned, ...many)
      .when(invite('owner', 2))
      .thenThrows('too_many_members');
    team
      .given(...owned, ...many.slice(1), invited(2))
      .when(accept(3))
      .then(joined(3, 'developer', 'invitation', { invitationId: idOf(2) }));
    team
      .given(...owned, invited(2), ...many)
      .when(accept(3))
      .thenThrows('too_many_members');
    team
      .given(...owned, ...many)
      .when(rule(3, 'auditor'))
      .thenThrows('too_many_members');
  });
});

describe('a rule of groups', () => {
  const granted = joined(2, 'developer', 'provider');

  it('makes a member, changes its role and ends it', () => {
    team
      .given(...owned)
      .when(rule(2, 'developer'))
      .then(granted);
    team
      .given(...owned, granted)
      .when(rule(2, 'developer', idOf(9)))
      .thenNothing();
    team
      .given(...owned, granted)
      .when(rule(2, 'billing', idOf(9)))
      .then(MemberRoleChanged.of({ teamId, ...memberOf(2, 'billing'), changedAt: AT }));
    team
      .given(...owned, granted)
      .when(rule(2, null, idOf(9)))
      .then(removed(2, 'rule_ended'));
    team
      .given(...owned)
      .when(rule(2, null))
      .thenNothing();
  });

  it('touches no membership of another source', () => {
    team
      .given(...owned)
      .when(rule(1, null))
      .thenNothing();
    team
      .given(...owned, joined(2, 'auditor'))
      .when(rule(2, 'owner'))
      .thenNothing();
  });
});
