import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant } from '../vocabulary.js';
import { Role } from './identity.vocabulary.js';
import { TeamId, TeamRole } from '../teams/team.vocabulary.js';
import { Scopes } from './key-policy.vocabulary.js';

/** The `iss` of an OpenID provider, a URL. */
export const ISSUER = /^https?:\/\/[!-~]{1,504}$/;
export const GROUP_LENGTH_MAX = 256;

/** A group as the tokens of an OpenID provider name it. */
const Group = z.strictObject({
  issuer: z.string().regex(ISSUER),
  group: z.string().min(1).max(GROUP_LENGTH_MAX),
});

export const GRANTED_TEAMS_MAX = 20;

export const TeamGrant = z.strictObject({ teamId: TeamId, role: TeamRole });
export type TeamGrant = Readonly<z.infer<typeof TeamGrant>>;

/** The rights of the members of a group. */
export const Grant = z.strictObject({
  role: Role,
  /** Of a token of the provider that a machine sends as its credential. */
  tokenScopes: Scopes,
  /** Of which a user becomes a member by a sign-in. Absent: none. */
  teams: z.array(TeamGrant).max(GRANTED_TEAMS_MAX).exactOptional(),
});
export type Grant = Readonly<z.infer<typeof Grant>>;

/** It replaces the rule of the same group. It applies from the next sign-in on. */
export const GroupRuleSet = defineEvent('GroupRuleSet', {
  version: 1,
  schema: Group.extend({ grant: Grant, setAt: Instant }),
});
export type GroupRuleSet = EventOf<typeof GroupRuleSet>;

export const GroupRuleRemoved = defineEvent('GroupRuleRemoved', {
  version: 1,
  schema: Group.extend({ removedAt: Instant }),
});
export type GroupRuleRemoved = EventOf<typeof GroupRuleRemoved>;

export type GroupRuleEvent = GroupRuleSet | GroupRuleRemoved;

export const groupRuleEvents = [GroupRuleSet, GroupRuleRemoved] as const;
