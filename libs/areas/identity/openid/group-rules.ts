import {
  type Grant,
  type GroupRuleSet,
  type TeamGrant,
} from '#events/identity/group-rule.events.js';
import { ROLES } from '#events/identity/identity.vocabulary.js';
import { TEAM_ROLES } from '#events/teams/team.vocabulary.js';
import { orderedScopes, scopesOfRole } from '../keys/key-policy.js';

type Group = Pick<GroupRuleSet['data'], 'issuer' | 'group'>;

/** The groups that a token of an issuer names. */
export interface GroupsOfToken {
  readonly issuer: string;
  readonly groups: readonly string[];
}

export const isSameGroup = (one: Group, other: Group): boolean =>
  one.issuer === other.issuer && one.group === other.group;

/**
 * The grants of all rules that match, as one: the last of their roles in the order renter, Partner,
 * Investor, Admin, all their scopes that this role allows, and all their teams. Null: no rule
 * matches.
 */
export const grantOf = (
  rules: readonly (Group & { readonly grant: Grant })[],
  { issuer, groups }: GroupsOfToken,
): Grant | null => {
  const named = new Set(groups);
  const grants = rules
    .filter((rule) => rule.issuer === issuer && named.has(rule.group))
    .map(({ grant }) => grant);
  const role = ROLES.findLast((one) => grants.some((grant) => grant.role === one));
  if (role === undefined) return null;
  const allowed = scopesOfRole(role);
  const scopes = orderedScopes(grants.flatMap(({ tokenScopes }) => tokenScopes));
  const teams = teamsIn(grants);
  return {
    role,
    tokenScopes: scopes.filter((scope) => allowed.includes(scope)),
    ...(teams.length > 0 && { teams }),
  };
};

/** Each team once, with the first of its roles in the order owner, admin, developer, ... */
const teamsIn = (grants: readonly Grant[]): TeamGrant[] => {
  const granted = grants.flatMap(({ teams = [] }) => teams);
  const inOrder = TEAM_ROLES.flatMap((role) => granted.filter((one) => one.role === role));
  const byTeam = new Map<string, TeamGrant>();
  for (const one of inOrder) if (!byTeam.has(one.teamId)) byTeam.set(one.teamId, one);
  return [...byTeam.values()];
};
