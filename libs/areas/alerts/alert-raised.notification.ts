import { z } from 'zod';
import { AlertRaised } from '#events/alerts/alert.events.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { defineNotification } from '#platform/runtime/areas/notification.js';

const usdOf = (decimal: string): number => toUsd(fromDecimal(decimal));

const Usd = z.number().nullable();

/** Tells the owner of an account that a rule applies; facts that are not of its kind are null. */
export const alertRaised = defineNotification<AlertRaised>({
  type: 'alert.raised',
  description:
    'A rule of alerts applies. At most one message of each kind a day: of each rig for ' +
    '`rig_down`, and of each end of a key for `key_ending`.',
  schema: z.strictObject({
    kind: z.enum(['balance_low', 'days_left_short', 'spend_anomaly', 'key_ending', 'rig_down']),
    available_usd: Usd.describe('For `balance_low` and `days_left_short`.'),
    below_usd: Usd.describe('The amount of the rule `balance_low`.'),
    charged_usd: Usd.describe(
      'Of the last 24 hours for `days_left_short`, of the last hour for `spend_anomaly`.',
    ),
    usual_usd: Usd.describe('The mean hour of the 23 hours before it, for `spend_anomaly`.'),
    hours_left: z.int().nullable().describe('For `days_left_short`.'),
    below_days: z.int().nullable().describe('The days of the rule `days_left_short`.'),
    key_id: z.string().nullable().describe('For `key_ending`.'),
    ends_at: z.iso.datetime().nullable().describe('The end of the key, for `key_ending`.'),
    within_days: z.int().nullable().describe('The days of the rule `key_ending`.'),
    rig: z.string().nullable().describe('For `rig_down`.'),
    cause: z
      .enum(['breaker_open', 'unreachable', 'lost'])
      .nullable()
      .describe('For `rig_down`: its requests fail, it takes no connection, its worker is silent.'),
    down_since: z.iso.datetime().nullable().describe('For `rig_down`.'),
    raised_at: z.iso.datetime(),
  }),
  on: { AlertRaised },
  account: ({ data }) => data.accountId,
  body: ({ data: { alert, raisedAt } }) => ({
    kind: alert.kind,
    available_usd: 'availableMicroUsd' in alert ? usdOf(alert.availableMicroUsd) : null,
    below_usd: 'belowMicroUsd' in alert ? usdOf(alert.belowMicroUsd) : null,
    charged_usd: 'chargedMicroUsd' in alert ? usdOf(alert.chargedMicroUsd) : null,
    usual_usd: 'usualMicroUsd' in alert ? usdOf(alert.usualMicroUsd) : null,
    hours_left: 'hoursLeft' in alert ? alert.hoursLeft : null,
    below_days: 'belowDays' in alert ? alert.belowDays : null,
    key_id: 'keyId' in alert ? alert.keyId : null,
    ends_at: 'endsAt' in alert ? alert.endsAt : null,
    within_days: 'withinDays' in alert ? alert.withinDays : null,
    rig: 'rig' in alert ? alert.rig : null,
    cause: 'cause' in alert ? alert.cause : null,
    down_since: 'downSince' in alert ? alert.downSince : null,
    raised_at: raisedAt,
  }),
});
