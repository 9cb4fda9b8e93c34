import { describe, expect, it } from '@jest/globals';
import { GroupRuleRemoved, GroupRuleSet } from '#events/identity/group-rule.events.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type TeamRole } from '#events/teams/team.vocabulary.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { GROUP_RULES_MAX, groupRulesDecider } from './group-rules.decider.js';
import { grantOf } from './group-rules.js';

const ISSUER = 'https://id.example.org';
const AT = '2026-11-26T10:00:00.000Z';

const ruleOf = (group: string, role: Role = 'Partner', tokenScopes: Scope[] = ['inference']) => ({
  issuer: ISSUER,
  group,
  grant: { role, tokenScopes },
});
const setting = (...rule: Parameters<typeof ruleOf>) => ({ ...ruleOf(...rule), setAt: AT });
const removal = { issuer: ISSUER, group: 'staff', removedAt: AT };

describe('the rules of groups', () => {
  const rules = deciderSpecOf(groupRulesDecider);
  const staff = GroupRuleSet.of(setting('staff'));

  it('are set, replaced and removed', () => {
    const set = (...rule: Parameters<typeof ruleOf>) =>
      ({ type: 'SetGroupRule', data: setting(...rule) }) as const;
    rules.given().when(set('staff')).then(staff);
    rules.given(staff).when(set('staff')).thenNothing();
    const admin = GroupRuleSet.of(setting('staff', 'Admin'));
    rules.given(staff).when(set('staff', 'Admin')).then(admin);
    const more = GroupRuleSet.of(setting('staff', 'Partner', ['operate']));
    rules
      .given(staff)
      .when(set('staff', 'Partner', ['operate']))
      .then(more);
    const removed = GroupRuleRemoved.of(removal);
    const remove = { type: 'RemoveGroupRule', data: removal } as const;
    rules.given(staff).when(remove).then(removed);
    rules.given(staff, removed).when(remove).thenThrows('group_rule_not_found');
    rules.given(staff, removed).when(set('staff')).then(staff);
  });

  it('are limited in number', () => {
    const all = Array.from({ length: GROUP_RULES_MAX }, (_, group) =>
      GroupRuleSet.of(setting(String(group))),
    );
    const one = { type: 'SetGroupRule', data: setting('staff') } as const;
    rules
      .given(...all)
      .when(one)
      .thenThrows('too_many_group_rules');
    const known = { type: 'SetGroupRule', data: setting('7', 'Admin') } as const;
    rules
      .given(...all)
      .when(known)
      .then(GroupRuleSet.of(setting('7', 'Admin')));
  });

  it('grant each team once, with the first of its roles', () => {
    const [one, other] = ['a', 'b'].map((end) => `team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f0${end}`);
    const inTeams = (group: string, ...teams: readonly (readonly [string, TeamRole])[]) => {
      const { grant, ...rule } = ruleOf(group);
      const granted = teams.map(([teamId, role]) => ({ teamId, role }));
      return { ...rule, grant: { ...grant, teams: granted } };
    };
    const known = [
      inTeams('staff', [one ?? '', 'auditor'], [other ?? '', 'billing']),
      inTeams('ml', [one ?? '', 'admin']),
      ruleOf('other'),
    ];
    const teamsOf = (...groups: readonly string[]) =>
      grantOf(known, { issuer: ISSUER, groups })?.teams ?? [];
    expect(teamsOf('staff', 'ml')).toEqual([
      { teamId: one, role: 'admin' },
      { teamId: other, role: 'billing' },
    ]);
    expect(teamsOf('other')).toEqual([]);
    const set = GroupRuleSet.of({ ...inTeams('staff', [one ?? '', 'auditor']), setAt: AT });
    const again = { type: 'SetGroupRule', data: set.data } as const;
    rules.given(set).when(again).thenNothing();
    rules.given(staff).when(again).then(set);
  });

  it('grant the last role and all scopes that this role allows', () => {
    const known = [
      ruleOf('staff', 'Partner', ['operate']),
      ruleOf('finance', 'Investor', ['read_billing']),
      ruleOf('guests', 'renter', ['inference']),
      { ...ruleOf('staff', 'Admin'), issuer: 'https://other.example.org' },
    ];
    const granted = (...groups: string[]) => grantOf(known, { issuer: ISSUER, groups });
    expect(granted()).toBeNull();
    expect(granted('others')).toBeNull();
    expect(granted('guests')).toEqual({ role: 'renter', tokenScopes: ['inference'] });
    expect(granted('finance', 'staff', 'guests')).toEqual({
      role: 'Investor',
      tokenScopes: ['inference', 'read_billing', 'operate'],
    });
  });
});
