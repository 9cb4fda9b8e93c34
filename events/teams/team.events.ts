import { z } from 'zod';
import { TreePlace } from '../billing/allotment.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Sha256Hex } from '../vocabulary.js';
import { Member, TeamId, TeamRole } from './team.vocabulary.js';

export const TEAM_NAME_LENGTH_MAX = 100;

export const TeamCreated = defineEvent('TeamCreated', {
  version: 1,
  schema: z.strictObject({
    teamId: TeamId,
    ...TreePlace.shape,
    name: z.string().min(1).max(TEAM_NAME_LENGTH_MAX),
    createdAt: Instant,
  }),
});
export type TeamCreated = EventOf<typeof TeamCreated>;

const Invitation = z.strictObject({ teamId: TeamId, invitationId: z.uuid() });

/** The token was shown once. */
export const InvitationIssued = defineEvent('InvitationIssued', {
  version: 1,
  schema: Invitation.extend({
    role: TeamRole,
    secretHash: Sha256Hex,
    issuedAt: Instant,
    expiresAt: Instant,
  }),
});
export type InvitationIssued = EventOf<typeof InvitationIssued>;

export const InvitationWithdrawn = defineEvent('InvitationWithdrawn', {
  version: 1,
  schema: Invitation.extend({ withdrawnAt: Instant }),
});
export type InvitationWithdrawn = EventOf<typeof InvitationWithdrawn>;

export const MemberJoined = defineEvent('MemberJoined', {
  version: 1,
  schema: Member.extend({
    teamId: TeamId,
    /** The one that was accepted; absent where there was none. */
    invitationId: z.uuid().exactOptional(),
    joinedAt: Instant,
  }),
});
export type MemberJoined = EventOf<typeof MemberJoined>;

export const MemberRoleChanged = defineEvent('MemberRoleChanged', {
  version: 1,
  schema: Member.omit({ source: true }).extend({ teamId: TeamId, changedAt: Instant }),
});
export type MemberRoleChanged = EventOf<typeof MemberRoleChanged>;

/** The keys of the membership are invalid from now on. */
export const MemberRemoved = defineEvent('MemberRemoved', {
  version: 1,
  schema: Member.pick({ memberId: true, userId: true }).extend({
    teamId: TeamId,
    reason: z.enum(['removed', 'left', 'rule_ended']),
    removedAt: Instant,
  }),
});
export type MemberRemoved = EventOf<typeof MemberRemoved>;

/** Its members were removed before, in the same append. */
export const TeamClosed = defineEvent('TeamClosed', {
  version: 1,
  schema: z.strictObject({
    teamId: TeamId,
    parentId: TreePlace.shape.parentId,
    closedAt: Instant,
  }),
});
export type TeamClosed = EventOf<typeof TeamClosed>;

export type TeamEvent =
  | TeamCreated
  | InvitationIssued
  | InvitationWithdrawn
  | MemberJoined
  | MemberRoleChanged
  | MemberRemoved
  | TeamClosed;

export const teamEvents = [
  TeamCreated,
  InvitationIssued,
  InvitationWithdrawn,
  MemberJoined,
  MemberRoleChanged,
  MemberRemoved,
  TeamClosed,
] as const;
