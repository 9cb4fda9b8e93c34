import { type AlertRules } from '#events/alerts/alert.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type AccountAlerts } from '#projections/alerts/account-alerts.projection.js';
import { microUsdOf } from '../fields/usd-field.js';
import { type AlertsDto, type SetAlertsDto } from './alerts.dto.js';

export const rulesOf = (sent: SetAlertsDto): AlertRules => ({
  balanceBelowMicroUsd: microUsdOf(sent.balance_below_usd),
  daysLeftBelow: sent.days_left_below ?? null,
  spendAnomaly: sent.spend_anomaly,
  keyEndsWithinDays: sent.key_ends_within_days ?? null,
  rigDown: sent.rig_down,
});

export const presentAlerts = ({
  alerts: { rules, last },
  position,
}: {
  readonly alerts: AccountAlerts;
  readonly position: bigint;
}): AlertsDto => {
  const { balanceBelowMicroUsd: below } = rules;
  return {
    success: true,
    balance_below_usd: below === null ? null : toUsd(fromDecimal(below)),
    days_left_below: rules.daysLeftBelow,
    spend_anomaly: rules.spendAnomaly,
    key_ends_within_days: rules.keyEndsWithinDays,
    rig_down: rules.rigDown,
    last_alerts: last.map(({ alert, raisedAt }) => ({
      kind: alert.kind,
      raised_at: raisedAt,
    })),
    position: position.toString(),
  };
};
