import { describe, expect, it } from '@jest/globals';
import { NO_RULES } from '#projections/alerts/account-alerts.projection.js';
import { alertsDue } from './alert-rules.js';

const USD = 1_000_000n;
const facts = { available: 10n * USD, chargedInHour: 0n, chargedInDay: 0n };
const all = { ...NO_RULES, balanceBelowMicroUsd: '5000000', daysLeftBelow: 3, spendAnomaly: true };

describe('the rules of alerts', () => {
  it('raise nothing without a rule', () => {
    const worst = { available: -1n, chargedInHour: 90n * USD, chargedInDay: 90n * USD };
    expect(alertsDue(NO_RULES, worst)).toEqual([]);
    expect(alertsDue(all, facts)).toEqual([]);
  });

  it.each([
    [5_000_000n, []],
    [4_999_999n, ['balance_low']],
    [-1n, ['balance_low']],
  ])('say that %p is a low balance: %j', (available, kinds) => {
    expect(alertsDue(all, { ...facts, available }).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('say how long the balance lasts, below the days of the rule', () => {
    const steady = (chargedInDay: bigint) =>
      alertsDue(all, { ...facts, available: 9n * USD, chargedInDay });
    expect(steady(3n * USD)).toEqual([]);
    expect(steady(4n * USD)).toEqual([
      {
        kind: 'days_left_short',
        availableMicroUsd: '9000000',
        chargedMicroUsd: '4000000',
        hoursLeft: 54,
        belowDays: 3,
      },
    ]);
  });

  it.each([
    ['four times the usual charge', 4n, 27n, false],
    ['more than four times the usual charge', 5n, 28n, true],
    ['a first hour', 1n, 1n, true],
  ])('find %s', (_name, hour, inDay, isUnusual) => {
    const spent = { available: 1_000n * USD, chargedInHour: hour * USD, chargedInDay: inDay * USD };
    const due = alertsDue({ ...NO_RULES, spendAnomaly: true }, spent);
    expect(due.map(({ kind }) => kind)).toEqual(isUnusual ? ['spend_anomaly'] : []);
  });

  it('find nothing unusual below a dollar', () => {
    const spent = { ...facts, chargedInHour: USD - 1n, chargedInDay: USD - 1n };
    expect(alertsDue({ ...NO_RULES, spendAnomaly: true }, spent)).toEqual([]);
  });
});
