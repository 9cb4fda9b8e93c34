import { describe, it } from '@jest/globals';
import { AlertRaised, AlertRulesSet } from '#events/alerts/alert.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { NO_RULES } from '#projections/alerts/account-alerts.projection.js';
import { alertsDecider } from './alerts.decider.js';

const alerts = deciderSpecOf(alertsDecider);
const SET_AT = '2026-11-26T05:00:00.000Z';
const rules = { ...NO_RULES, balanceBelowMicroUsd: '5000000' };
const set = AlertRulesSet.of({ accountId: '7', rules, setAt: SET_AT });
const low = { kind: 'balance_low', availableMicroUsd: '1', belowMicroUsd: '5000000' } as const;
const lowAt = (raisedAt: string) => ({ accountId: '7', alert: low, raisedAt });
const raise = (raisedAt: string) => ({ type: 'RaiseAlert', data: lowAt(raisedAt) }) as const;
const raised = (raisedAt: string) =>
  AlertRaised.of({ ...lowAt(raisedAt), day: raisedAt.slice(0, 10) });

describe('the alerts of an account', () => {
  it('have rules', () => {
    alerts
      .given()
      .when({ type: 'SetAlertRules', data: { accountId: '7', rules, setAt: SET_AT } })
      .then(set);
  });

  it('keep rules that are set again', () => {
    const later = { accountId: '7', rules, setAt: '2026-11-27T05:00:00.000Z' };
    alerts.given(set).when({ type: 'SetAlertRules', data: later }).thenNothing();
  });

  it('are raised once a day', () => {
    const [first, second, next] = [
      '2026-11-26T06:00:00.000Z',
      '2026-11-26T23:59:59.999Z',
      '2026-11-27T00:00:00.000Z',
    ] as const;
    alerts.given(set).when(raise(first)).then(raised(first));
    alerts.given(set, raised(first)).when(raise(second)).thenNothing();
    alerts.given(set, raised(first)).when(raise(next)).then(raised(next));
  });

  it('are not raised after their rule was removed', () => {
    const removed = AlertRulesSet.of({ accountId: '7', rules: NO_RULES, setAt: SET_AT });
    alerts.given(set, removed).when(raise('2026-11-26T06:00:00.000Z')).thenNothing();
  });
});
