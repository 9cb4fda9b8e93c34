import {
  type Alert,
  type AlertEvent,
  AlertRaised,
  type AlertRules,
  AlertRulesSet,
} from '#events/alerts/alert.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { NO_RULES } from '#projections/alerts/account-alerts.projection.js';
import { reject } from './alerts.errors.js';

export type AlertCommand =
  | {
      readonly type: 'SetAlertRules';
      readonly data: AlertRulesSet['data'];
      /** Whether the owner of the account is an operator now. */
      readonly isOperator: boolean;
    }
  | {
      readonly type: 'RaiseAlert';
      readonly data: Omit<AlertRaised['data'], 'day'>;
    };

export interface AlertsState {
  readonly rules: AlertRules;
  /** The window of the last alert, by its subject. Windows that are over are forgotten. */
  readonly windows: Readonly<Record<string, string>>;
}

const DAY = 'YYYY-MM-DD'.length;

/** The alerts of one account: each subject once in a window, while its rule asks for it. */
export const alertsDecider: Decider<AlertCommand, AlertsState, AlertEvent> = {
  initialState: { rules: NO_RULES, windows: {} },
  decide: (command, { rules, windows }) => {
    switch (command.type) {
      case 'SetAlertRules':
        return setRules(command, rules);
      case 'RaiseAlert': {
        const { data } = command;
        const day = data.raisedAt.slice(0, DAY);
        const isRaised = windows[subjectOf(data.alert)] === windowOf(data.alert, day);
        if (!ASKS_FOR[data.alert.kind](rules) || isRaised) return [];
        return [AlertRaised.of({ ...data, day })];
      }
    }
  },
  evolve: (state, { type, data }) =>
    type === 'AlertRulesSet'
      ? { ...state, rules: data.rules }
      : { ...state, windows: raisedIn(state.windows, data) },
};

const setRules = (
  { data, isOperator }: AlertCommand & { readonly type: 'SetAlertRules' },
  rules: AlertRules,
): readonly AlertEvent[] => {
  if (data.rules.rigDown && !isOperator) {
    reject('alert_for_operators', 'rig_down: expected false; the rule is for operators');
  }
  return isSame(rules, data.rules) ? [] : [AlertRulesSet.of(data)];
};

/** Alerts of one subject share a window. */
const subjectOf = (alert: Alert): string => {
  switch (alert.kind) {
    case 'balance_low':
    case 'days_left_short':
    case 'spend_anomaly':
      return alert.kind;
    case 'key_ending':
      return `${alert.kind}/${alert.keyId}`;
    case 'rig_down':
      return `${alert.kind}/${alert.rig}`;
  }
};

/** The end of a key is its window; anything else is raised once a day. */
const windowOf = (alert: Alert, day: string): string =>
  alert.kind === 'key_ending' ? alert.endsAt : day;

const raisedIn = (
  windows: AlertsState['windows'],
  { alert, day }: AlertRaised['data'],
): AlertsState['windows'] => {
  const open = Object.entries(windows).filter(([, window]) => window >= day);
  return { ...Object.fromEntries(open), [subjectOf(alert)]: windowOf(alert, day) };
};

const isSame = (one: AlertRules, other: AlertRules): boolean =>
  one.balanceBelowMicroUsd === other.balanceBelowMicroUsd &&
  one.daysLeftBelow === other.daysLeftBelow &&
  one.spendAnomaly === other.spendAnomaly &&
  one.keyEndsWithinDays === other.keyEndsWithinDays &&
  one.rigDown === other.rigDown;

const ASKS_FOR: Readonly<Record<Alert['kind'], (rules: AlertRules) => boolean>> = {
  balance_low: ({ balanceBelowMicroUsd }) => balanceBelowMicroUsd !== null,
  days_left_short: ({ daysLeftBelow }) => daysLeftBelow !== null,
  spend_anomaly: ({ spendAnomaly }) => spendAnomaly,
  key_ending: ({ keyEndsWithinDays }) => keyEndsWithinDays !== null,
  rig_down: ({ rigDown }) => rigDown,
};
