import { describe, expect, it } from '@jest/globals';
import { type Alert, AlertRaised, AlertRulesSet } from '#events/alerts/alert.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { NO_RULES } from '#projections/alerts/account-alerts.projection.js';
import { alertsDecider } from './alerts.decider.js';

const alerts = deciderSpecOf(alertsDecider);
const SET_AT = '2026-11-26T05:00:00.000Z';
const rules = { ...NO_RULES, balanceBelowMicroUsd: '5000000' };
const set = AlertRulesSet.of({ accountId: '7', rules, setAt: SET_AT });
const setting = (data: AlertRulesSet['data'], isOperator = false) =>
  ({ type: 'SetAlertRules', data, isOperator }) as const;
const low = { kind: 'balance_low', availableMicroUsd: '1', belowMicroUsd: '5000000' } as const;
const lowAt = (raisedAt: string) => ({ accountId: '7', alert: low, raisedAt });
const raise = (raisedAt: string) => ({ type: 'RaiseAlert', data: lowAt(raisedAt) }) as const;
const raised = (raisedAt: string) =>
  AlertRaised.of({ ...lowAt(raisedAt), day: raisedAt.slice(0, 10) });

describe('the alerts of an account', () => {
  it('have rules', () => {
    alerts
      .given()
      .when(setting({ accountId: '7', rules, setAt: SET_AT }))
      .then(set);
  });

  it('keep rules that are set again', () => {
    const later = { accountId: '7', rules, setAt: '2026-11-27T05:00:00.000Z' };
    alerts.given(set).when(setting(later)).thenNothing();
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

  const raiseOf = (alert: Alert, raisedAt: string) =>
    ({ type: 'RaiseAlert', data: { accountId: '7', alert, raisedAt } }) as const;
  const raisedOf = (alert: Alert, raisedAt: string) =>
    AlertRaised.of({ accountId: '7', alert, raisedAt, day: raisedAt.slice(0, 10) });
  const setAll = AlertRulesSet.of({
    accountId: '7',
    rules: { ...rules, keyEndsWithinDays: 14, rigDown: true },
    setAt: SET_AT,
  });
  const [today, tomorrow, later] = [
    '2026-11-26T06:00:00.000Z',
    '2026-11-27T06:00:00.000Z',
    '2026-12-24T06:00:00.000Z',
  ] as const;

  it('name a key once for each of its ends', () => {
    const keyOf = (keyId: string, endsAt: string): Alert => ({
      kind: 'key_ending',
      keyId: keyId.repeat(16),
      endsAt,
      withinDays: 14,
    });
    const key = keyOf('a', '2026-12-01T00:00:00.000Z');
    const other = keyOf('b', '2026-12-01T00:00:00.000Z');
    const restricted = keyOf('a', '2026-11-30T00:00:00.000Z');
    const first = raisedOf(key, today);
    alerts.given(setAll).when(raiseOf(key, today)).then(first);
    alerts.given(setAll, first).when(raiseOf(key, tomorrow)).thenNothing();
    alerts.given(setAll, first, raisedOf(low, tomorrow)).when(raiseOf(key, tomorrow)).thenNothing();
    alerts.given(setAll, first).when(raiseOf(other, today)).then(raisedOf(other, today));
    alerts.given(setAll, first).when(raiseOf(restricted, today)).then(raisedOf(restricted, today));
    alerts.given(set).when(raiseOf(key, today)).thenNothing();
  });

  it('name each rig once a day', () => {
    const rigOf = (rig: string): Alert => ({
      kind: 'rig_down',
      rig,
      cause: 'unreachable',
      downSince: SET_AT,
    });
    const first = raisedOf(rigOf('one'), today);
    alerts
      .given(setAll, first)
      .when(raiseOf(rigOf('one'), today))
      .thenNothing();
    alerts
      .given(setAll, first)
      .when(raiseOf(rigOf('two'), today))
      .then(raisedOf(rigOf('two'), today));
    alerts
      .given(setAll, first)
      .when(raiseOf(rigOf('one'), tomorrow))
      .then(raisedOf(rigOf('one'), tomorrow));
  });

  it('of rigs are for operators', () => {
    const data = { accountId: '7', rules: { ...rules, rigDown: true }, setAt: SET_AT };
    alerts.given().when(setting(data, true)).then(AlertRulesSet.of(data));
    alerts.given().when(setting(data)).thenThrows('alert_for_operators');
  });

  it('forget windows that are over', () => {
    const days = [today, tomorrow, later].map((at) => raisedOf(low, at));
    const key: Alert = {
      kind: 'key_ending',
      keyId: 'a'.repeat(16),
      endsAt: '2026-12-01T00:00:00.000Z',
      withinDays: 14,
    };
    const { windows } = [setAll, raisedOf(key, today), ...days].reduce(
      alertsDecider.evolve,
      alertsDecider.initialState,
    );
    expect(windows).toEqual({ balance_low: '2026-12-24' });
  });
});
