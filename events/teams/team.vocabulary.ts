import { z } from 'zod';
import { UserId } from '../vocabulary.js';

/** The words of teams that identity uses, too. */

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PREFIX = 'team-';

export const TEAM_ID = new RegExp(`^${PREFIX}${UUID}$`);

/** The id of a team is the id of its account, and the name of its stream. */
export const TeamId = z.string().regex(TEAM_ID);

export const teamIdOf = (uuid: string): string => PREFIX + uuid;

export const isTeamId = (accountId: string): boolean => accountId.startsWith(PREFIX);

export const TeamRole = z.enum(['owner', 'admin', 'developer', 'billing', 'auditor']);
export type TeamRole = z.infer<typeof TeamRole>;

export const TEAM_ROLES: readonly TeamRole[] = TeamRole.options;

/** A credential of a team is valid while this membership lasts: a later one has another id. */
export const Membership = z.strictObject({ teamId: TeamId, memberId: z.uuid() });
export type Membership = Readonly<z.infer<typeof Membership>>;

export const Member = z.strictObject({
  memberId: z.uuid(),
  userId: UserId,
  role: TeamRole,
  /** `provider`: the rules of groups decide the membership at each sign-in of the user. */
  source: z.enum(['creation', 'invitation', 'provider']),
});
export type Member = Readonly<z.infer<typeof Member>>;

/** The token of an invitation: the prefix, the id of the team without its own, and a secret. */
export const INVITATION_PREFIX = 'svc_inv_';
