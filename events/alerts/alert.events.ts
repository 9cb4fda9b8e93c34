import { z } from 'zod';
import { RigName } from '../catalog/rate-card.events.js';
import { defineEvent, type EventOf } from '../definition.js';
import {
  AccountId,
  Instant,
  KeyId,
  MicroUsdDecimal,
  SignedMicroUsdDecimal,
} from '../vocabulary.js';

/** The alerts of an account: one stream `alerts-<account>`. */

export const AlertRules = z.strictObject({
  /** Alert while the available amount is below it; null: no such alert. */
  balanceBelowMicroUsd: MicroUsdDecimal.nullable(),
  /** Alert while the available amount lasts fewer days at the rate of the last 24 hours. */
  daysLeftBelow: z.int().min(1).max(365).nullable(),
  /** Alert after an hour with unusual charges. */
  spendAnomaly: z.boolean(),
  /** Alert while a key of the account ends within so many days; null: no such alert. */
  keyEndsWithinDays: z.int().min(1).max(365).nullable(),
  /** Alert while a rig is down; only an operator has this rule. */
  rigDown: z.boolean(),
});
export type AlertRules = z.infer<typeof AlertRules>;

/** Replaces all rules. */
export const AlertRulesSet = defineEvent('AlertRulesSet', {
  version: 1,
  schema: z.strictObject({ accountId: AccountId, rules: AlertRules, setAt: Instant }),
});
export type AlertRulesSet = EventOf<typeof AlertRulesSet>;

const BalanceLow = z.strictObject({
  kind: z.literal('balance_low'),
  availableMicroUsd: SignedMicroUsdDecimal,
  belowMicroUsd: MicroUsdDecimal,
});

const DaysLeftShort = z.strictObject({
  kind: z.literal('days_left_short'),
  availableMicroUsd: SignedMicroUsdDecimal,
  /** Of the last 24 hours. */
  chargedMicroUsd: MicroUsdDecimal,
  /** How long the available amount lasts at this rate, rounded down. */
  hoursLeft: z.int().nonnegative(),
  belowDays: z.int().positive(),
});

const SpendAnomaly = z.strictObject({
  kind: z.literal('spend_anomaly'),
  /** Of the last hour. */
  chargedMicroUsd: MicroUsdDecimal,
  /** The mean hour of the 23 hours before it, rounded down. */
  usualMicroUsd: MicroUsdDecimal,
});

const KeyEnding = z.strictObject({
  kind: z.literal('key_ending'),
  keyId: KeyId,
  endsAt: Instant,
  /** The days of the rule. */
  withinDays: z.int().positive(),
});

const RigDown = z.strictObject({
  kind: z.literal('rig_down'),
  rig: RigName,
  /** `breaker_open`: its requests fail; `lost`: its worker sends no heartbeat. */
  cause: z.enum(['breaker_open', 'unreachable', 'lost']),
  /** When it was first seen down. */
  downSince: Instant,
});

export const Alert = z.discriminatedUnion('kind', [
  BalanceLow,
  DaysLeftShort,
  SpendAnomaly,
  KeyEnding,
  RigDown,
]);
export type Alert = z.infer<typeof Alert>;

/** A rule applied for the first time in its window. */
export const AlertRaised = defineEvent('AlertRaised', {
  version: 1,
  schema: z.strictObject({
    accountId: AccountId,
    alert: Alert,
    /** `YYYY-MM-DD` in UTC. It is the window, but for a key, which is named once for each end. */
    day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
    raisedAt: Instant,
  }),
});
export type AlertRaised = EventOf<typeof AlertRaised>;

export type AlertEvent = AlertRulesSet | AlertRaised;

export const alertEvents = [AlertRulesSet, AlertRaised] as const;
