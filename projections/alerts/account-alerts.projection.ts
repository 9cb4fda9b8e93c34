import {
  type Alert,
  type AlertEvent,
  AlertRaised,
  type AlertRules,
  AlertRulesSet,
} from '#events/alerts/alert.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface AccountAlerts {
  readonly accountId: string;
  readonly rules: AlertRules;
  /** The last alert of each kind, newest first. */
  readonly last: readonly { readonly alert: Alert; readonly raisedAt: string }[];
}

/** No rule applies. */
export const NO_RULES: AlertRules = {
  balanceBelowMicroUsd: null,
  daysLeftBelow: null,
  spendAnomaly: false,
  keyEndsWithinDays: null,
  rigDown: false,
};

/** Which alerts does an account ask for, and which were the last ones? */
export const accountAlerts: Projection<AlertEvent, AccountAlerts> = {
  name: 'account-alerts',
  version: 2,
  on: { AlertRulesSet, AlertRaised },
  keys: ({ data }) => [data.accountId],
  initial: (accountId) => ({ accountId, rules: NO_RULES, last: [] }),
  project: ({ type, data }, before) => {
    switch (type) {
      case 'AlertRulesSet':
        return { ...before, rules: data.rules };
      case 'AlertRaised': {
        const { alert, raisedAt } = data;
        const others = before.last.filter(({ alert: { kind } }) => kind !== alert.kind);
        return { ...before, last: [{ alert, raisedAt }, ...others] };
      }
    }
  },
};
