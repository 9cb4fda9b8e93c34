import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type TeamRole } from '#events/teams/team.vocabulary.js';

/** The scopes of a role in a team: a key of the team has none that its member's role lacks. */
const SCOPES_OF_ROLE: Readonly<Record<TeamRole, readonly Scope[]>> = {
  owner: ['inference', 'read_billing', 'manage_keys', 'manage_money'],
  admin: ['inference', 'read_billing', 'manage_keys'],
  developer: ['inference'],
  billing: ['read_billing', 'manage_money'],
  auditor: ['read_billing'],
};

export const scopesOfTeamRole = (role: TeamRole): readonly Scope[] => SCOPES_OF_ROLE[role];
