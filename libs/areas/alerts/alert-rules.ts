import { type Alert, type AlertRules } from '#events/alerts/alert.events.js';
import { fromDecimal, type MicroUsd, toDecimal } from '#platform/kernel/money.js';

/** The facts that rules read. */
export interface AccountFacts {
  readonly available: MicroUsd;
  /** Of the last hour, and of the last 24 hours, the last one included. */
  readonly chargedInHour: MicroUsd;
  readonly chargedInDay: MicroUsd;
}

const HOURS_OF_DAY = 24n;
/** The hours before the last one, whose mean is the usual charge. */
const USUAL_HOURS = HOURS_OF_DAY - 1n;
/** The last hour is unusual above this multiple of the usual charge, ... */
export const ANOMALY_FACTOR = 4n;
/** ... and from one dollar on: below it a first request would alarm. */
export const ANOMALY_MIN: MicroUsd = 1_000_000n;

/** The alerts that are due by the rules of an account. */
export const alertsDue = (rules: AlertRules, facts: AccountFacts): readonly Alert[] => [
  ...balanceLow(rules, facts),
  ...daysLeftShort(rules, facts),
  ...spendAnomaly(rules, facts),
];

const balanceLow = (
  { balanceBelowMicroUsd: below }: AlertRules,
  { available }: AccountFacts,
): readonly Alert[] =>
  below === null || available >= fromDecimal(below)
    ? []
    : [{ kind: 'balance_low', availableMicroUsd: toDecimal(available), belowMicroUsd: below }];

const daysLeftShort = (
  { daysLeftBelow }: AlertRules,
  { available, chargedInDay }: AccountFacts,
): readonly Alert[] => {
  if (daysLeftBelow === null || chargedInDay === 0n) return [];
  const rest = available > 0n ? available : 0n;
  if (rest >= chargedInDay * BigInt(daysLeftBelow)) return [];
  return [
    {
      kind: 'days_left_short',
      availableMicroUsd: toDecimal(available),
      chargedMicroUsd: toDecimal(chargedInDay),
      hoursLeft: Number((rest * HOURS_OF_DAY) / chargedInDay),
      belowDays: daysLeftBelow,
    },
  ];
};

const spendAnomaly = (
  { spendAnomaly: isWanted }: AlertRules,
  { chargedInHour, chargedInDay }: AccountFacts,
): readonly Alert[] => {
  const before = chargedInDay - chargedInHour;
  const isUnusual = chargedInHour * USUAL_HOURS > before * ANOMALY_FACTOR;
  if (!isWanted || chargedInHour < ANOMALY_MIN || !isUnusual) return [];
  return [
    {
      kind: 'spend_anomaly',
      chargedMicroUsd: toDecimal(chargedInHour),
      usualMicroUsd: toDecimal(before / USUAL_HOURS),
    },
  ];
};
