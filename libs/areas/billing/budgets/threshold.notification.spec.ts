import { describe, expect, it } from '@jest/globals';
import { BudgetThresholdReached } from '#events/billing/budget.events.js';
import { billingArea } from '../billing.area.js';
import { KEY } from './budget.fixture.js';
import { budgetThresholdReached } from './threshold.notification.js';

const reached = BudgetThresholdReached.of({
  accountId: '7',
  key: KEY,
  window: 'day',
  period: '2026-11-22',
  percent: 80,
  limitMicroUsd: '25000000',
  chargedMicroUsd: '20000120',
  reachedAt: '2026-11-22T10:00:00.000Z',
});

describe('the notification of a threshold', () => {
  it('tells the account which budget is how far spent', () => {
    expect(billingArea.notifications).toContain(budgetThresholdReached);
    expect(budgetThresholdReached.account(reached)).toBe('7');
    expect(budgetThresholdReached.body(reached)).toEqual({
      scope: 'key',
      key_id: KEY,
      user: null,
      tag: null,
      window: 'day',
      period: '2026-11-22',
      percent: 80,
      limit_usd: 25,
      charged_usd: 20.00012,
      reached_at: '2026-11-22T10:00:00.000Z',
    });
  });
});
