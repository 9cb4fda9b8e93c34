import {
  type Alert,
  type AlertEvent,
  AlertRaised,
  type AlertRules,
  AlertRulesSet,
} from '#events/alerts/alert.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { NO_RULES } from '#projections/alerts/account-alerts.projection.js';

export type AlertCommand =
  | { readonly type: 'SetAlertRules'; readonly data: AlertRulesSet['data'] }
  | {
      readonly type: 'RaiseAlert';
      readonly data: Omit<AlertRaised['data'], 'day'>;
    };

export interface AlertsState {
  readonly rules: AlertRules;
  /** The day of the last alert, by kind. */
  readonly days: Readonly<Partial<Record<Alert['kind'], string>>>;
}

const DAY = 'YYYY-MM-DD'.length;

/** The alerts of one account: each kind once a day, while its rule asks for it. */
export const alertsDecider: Decider<AlertCommand, AlertsState, AlertEvent> = {
  initialState: { rules: NO_RULES, days: {} },
  decide: ({ type, data }, { rules, days }) => {
    switch (type) {
      case 'SetAlertRules':
        return isSame(rules, data.rules) ? [] : [AlertRulesSet.of(data)];
      case 'RaiseAlert': {
        const day = data.raisedAt.slice(0, DAY);
        const { kind } = data.alert;
        if (!ASKS_FOR[kind](rules) || days[kind] === day) return [];
        return [AlertRaised.of({ ...data, day })];
      }
    }
  },
  evolve: (state, { type, data }) =>
    type === 'AlertRulesSet'
      ? { ...state, rules: data.rules }
      : { ...state, days: { ...state.days, [data.alert.kind]: data.day } },
};

const isSame = (one: AlertRules, other: AlertRules): boolean =>
  one.balanceBelowMicroUsd === other.balanceBelowMicroUsd &&
  one.daysLeftBelow === other.daysLeftBelow &&
  one.spendAnomaly === other.spendAnomaly;

const ASKS_FOR: Readonly<Record<Alert['kind'], (rules: AlertRules) => boolean>> = {
  balance_low: ({ balanceBelowMicroUsd }) => balanceBelowMicroUsd !== null,
  days_left_short: ({ daysLeftBelow }) => daysLeftBelow !== null,
  spend_anomaly: ({ spendAnomaly }) => spendAnomaly,
};
