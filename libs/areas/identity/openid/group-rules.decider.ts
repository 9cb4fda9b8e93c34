import {
  type GroupRuleEvent,
  GroupRuleRemoved,
  GroupRuleSet,
} from '#events/identity/group-rule.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';
import { isSameGroup } from './group-rules.js';

export type GroupRuleCommand =
  | { readonly type: 'SetGroupRule'; readonly data: GroupRuleSet['data'] }
  | { readonly type: 'RemoveGroupRule'; readonly data: GroupRuleRemoved['data'] };

export type GroupRule = Omit<GroupRuleSet['data'], 'setAt'>;

/** In the order in which they were set. */
export type GroupRulesState = readonly GroupRule[];

export const GROUP_RULES_MAX = 200;

const decide = (
  { type, data }: GroupRuleCommand,
  rules: GroupRulesState,
): readonly GroupRuleEvent[] => {
  const known = rules.find((rule) => isSameGroup(rule, data));
  switch (type) {
    case 'SetGroupRule':
      if (!known && rules.length >= GROUP_RULES_MAX) {
        reject('too_many_group_rules', `there are ${GROUP_RULES_MAX} rules: remove one first`);
      }
      return known && isSameGrant(known, data) ? [] : [GroupRuleSet.of(data)];
    case 'RemoveGroupRule':
      return known
        ? [GroupRuleRemoved.of(data)]
        : reject('group_rule_not_found', `group: ${data.group} has no rule`);
  }
};

const isSameGrant = (
  { grant: one }: Pick<GroupRule, 'grant'>,
  { grant: other }: Pick<GroupRule, 'grant'>,
): boolean =>
  one.role === other.role &&
  one.tokenScopes.join() === other.tokenScopes.join() &&
  teamsText(one) === teamsText(other);

const teamsText = ({ teams = [] }: GroupRule['grant']): string =>
  teams.map(({ teamId, role }) => `${teamId} ${role}`).join();

const evolve = (rules: GroupRulesState, { type, data }: GroupRuleEvent): GroupRulesState => {
  const others = rules.filter((rule) => !isSameGroup(rule, data));
  switch (type) {
    case 'GroupRuleSet': {
      const { setAt: _, ...rule } = data;
      return [...others, rule];
    }
    case 'GroupRuleRemoved':
      return others;
  }
};

export const groupRulesDecider: Decider<GroupRuleCommand, GroupRulesState, GroupRuleEvent> = {
  initialState: [],
  decide,
  evolve,
};
