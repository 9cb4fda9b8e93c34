import { type AlertRules } from '#events/alerts/alert.events.js';
import { UserProfileQuery } from '#areas/identity/accounts/user-profile.handler.js';
import { AlertsQuery, ChangeAlertsCommand } from '#areas/alerts/alerts.handlers.js';
import { fromDecimal, inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { accountAlerts } from '#projections/alerts/account-alerts.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { accountOf, userIdOf } from '../user-option.js';

export interface ShowAlertsOptions extends CommonOptions {
  readonly user: string;
}

export interface SetAlertsOptions extends ShowAlertsOptions {
  readonly balanceBelow?: MicroUsd;
  readonly daysLeftBelow?: number;
  readonly spendAnomaly?: boolean;
  readonly keyEndsWithin?: number;
  readonly rigDown?: boolean;
}

/** An alert may name a rig of the catalog, so that both are composed. */
export const ALERT_AREAS = ['identity', 'billing', 'catalog', 'inference', 'alerts'] as const;

const NEEDS = {
  areas: ALERT_AREAS,
  installation: 'exists',
  projections: [accountAlerts],
} as const;

export const setAlerts = (
  { user, ...options }: SetAlertsOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => {
    const userId = await userIdOf(quipu, user);
    const { accountId, role } = await quipu.queries.execute(new UserProfileQuery(userId));
    const rules = rulesOf(options);
    const isOperator = role === 'Admin';
    const change = { type: 'SetAlertRules', data: { rules }, isOperator } as const;
    await quipu.commands.execute(new ChangeAlertsCommand(accountId, change, quipu.context()));
    return outcomeOf(user, accountId, rules, []);
  });

const rulesOf = (options: Omit<SetAlertsOptions, 'user'>): AlertRules => ({
  balanceBelowMicroUsd: options.balanceBelow === undefined ? null : toDecimal(options.balanceBelow),
  daysLeftBelow: options.daysLeftBelow ?? null,
  spendAnomaly: options.spendAnomaly ?? false,
  keyEndsWithinDays: options.keyEndsWithin ?? null,
  rigDown: options.rigDown ?? false,
});

export const showAlerts = ({ user }: ShowAlertsOptions, invocation: Invocation): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, user);
    const { rules, last } = await alertsOf(quipu, accountId);
    return outcomeOf(user, accountId, rules, last);
  });

const alertsOf = async ({ queries }: Quipu, accountId: string) =>
  (await queries.execute(new AlertsQuery(accountId))).alerts;

const outcomeOf = (
  user: string,
  accountId: string,
  { balanceBelowMicroUsd, daysLeftBelow, spendAnomaly, keyEndsWithinDays, rigDown }: AlertRules,
  last: Awaited<ReturnType<typeof alertsOf>>['last'],
): Outcome => {
  const rules = [
    ...(balanceBelowMicroUsd === null
      ? []
      : [`less than ${inUsd(fromDecimal(balanceBelowMicroUsd))} is available`]),
    ...(daysLeftBelow === null ? [] : [`the balance lasts less than ${daysLeftBelow} days`]),
    ...(spendAnomaly ? ['the charges of an hour are unusual'] : []),
    ...(keyEndsWithinDays === null ? [] : [`a key ends within ${keyEndsWithinDays} days`]),
    ...(rigDown ? ['a rig is down'] : []),
  ];
  const raised = last.map(({ alert, raisedAt }) => `${alert.kind} was raised at ${raisedAt}.`);
  const text =
    rules.length === 0
      ? `${user} gets no alerts.`
      : `${user} gets an alert while ${rules.join(', or ')}.`;
  return {
    json: {
      account_id: accountId,
      balance_below_micro_usd: balanceBelowMicroUsd,
      days_left_below: daysLeftBelow,
      spend_anomaly: spendAnomaly,
      key_ends_within_days: keyEndsWithinDays,
      rig_down: rigDown,
      last_alerts: last.map(({ alert, raisedAt }) => ({ kind: alert.kind, raised_at: raisedAt })),
    },
    text: [text, ...raised].join('\n'),
  };
};
