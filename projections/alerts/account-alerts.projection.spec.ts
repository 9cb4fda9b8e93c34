import { expect, it } from '@jest/globals';
import { AlertRaised, AlertRulesSet } from '#events/alerts/alert.events.js';
import { accountAlerts, NO_RULES } from './account-alerts.projection.js';

const rules = { ...NO_RULES, balanceBelowMicroUsd: '5000000', spendAnomaly: true };
const low = { kind: 'balance_low', availableMicroUsd: '1', belowMicroUsd: '5000000' } as const;
const odd = { kind: 'spend_anomaly', chargedMicroUsd: '9', usualMicroUsd: '1' } as const;

const raised = (alert: typeof low | typeof odd, day: string) =>
  AlertRaised.of({ accountId: '7', alert, day, raisedAt: `${day}T01:00:00.000Z` });

it('keeps the rules and the last alert of each kind', () => {
  const events = [
    AlertRulesSet.of({ accountId: '7', rules, setAt: '2026-11-25T00:00:00.000Z' }),
    raised(low, '2026-11-25'),
    raised(odd, '2026-11-25'),
    raised(low, '2026-11-26'),
  ];
  const fold = events.reduce(
    (document, event) => accountAlerts.project(event, document, '7') ?? document,
    accountAlerts.initial('7'),
  );
  expect(fold).toEqual({
    accountId: '7',
    rules,
    last: [
      { alert: low, raisedAt: '2026-11-26T01:00:00.000Z' },
      { alert: odd, raisedAt: '2026-11-25T01:00:00.000Z' },
    ],
  });
});
