import {
  GroupRulesQuery,
  type GroupRuleView,
  RemoveGroupRuleCommand,
  SetGroupRuleCommand,
} from '#areas/identity/openid/group-rules.handlers.js';
import { type TeamGrant } from '#events/identity/group-rule.events.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';

export interface SetGroupRuleOptions extends CommonOptions {
  readonly group: string;
  readonly role: Role;
  readonly tokenScopes: readonly Scope[];
  readonly issuer?: string;
  readonly team: readonly TeamGrant[];
}

export interface GroupRuleOptions extends CommonOptions {
  readonly rule: string;
}

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [],
} as const;

export const listGroupRules = (_: CommonOptions, invocation: Invocation): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const rules = await queries.execute(new GroupRulesQuery());
    const rows = rules.map(({ id, issuer, group, grant: { role, tokenScopes } }) => [
      id,
      issuer,
      group,
      role,
      tokenScopes.join(' ') || '-',
    ]);
    const header = ['ID', 'ISSUER', 'GROUP', 'ROLE', 'TOKEN SCOPES'];
    return { json: { rules: rules.map(jsonOf) }, text: listText({ noun: 'rules', header, rows }) };
  });

export const setGroupRule = (
  { group, role, tokenScopes, issuer, team: teams }: SetGroupRuleOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, context }) => {
    const ofTeams = teams.length > 0 && { teams: [...teams] };
    const grant = { role, tokenScopes: [...tokenScopes], ...ofTeams };
    const data = { group, grant, ...(issuer !== undefined && { issuer }) };
    const rule = await commands.execute(new SetGroupRuleCommand(data, context()));
    return {
      json: { rule: jsonOf(rule) },
      text: `Rule ${rule.id}: members of ${group} have the role ${role} from the next sign-in on.`,
    };
  });

export const removeGroupRule = (
  { rule: id }: GroupRuleOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, context }) => {
    const rule = await commands.execute(new RemoveGroupRuleCommand(id, context()));
    return {
      json: { rule: jsonOf(rule), removed: true },
      text: `The rule of ${rule.group} is removed: its members lose the role at the next sign-in.`,
    };
  });

const jsonOf = ({ id, issuer, group, grant }: GroupRuleView) => ({
  rule_id: id,
  issuer,
  group,
  role: grant.role,
  token_scopes: grant.tokenScopes,
  teams: (grant.teams ?? []).map(({ teamId, role }) => ({ team_id: teamId, role })),
});
