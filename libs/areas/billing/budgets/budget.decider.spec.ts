import { describe, expect, it } from '@jest/globals';
import { type AccountCommand } from '../account.decider.js';
import { capture, HOLD, OTHER_HOLD, release, renew } from '../account.fixture.js';
import {
  after,
  ask,
  decided,
  KEY,
  OTHER_KEY,
  outcomeOf,
  removeBudget,
  setBudget,
} from './budget.fixture.js';
import { BUDGETS_MAX } from './budget.rules.js';

/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;
const AT = '2026-11-21T05:00:00.000Z';
const NEXT_DAY = '2026-11-22T05:00:00.000Z';
const NEXT_MONTH = '2026-12-01T00:00:00.000Z';
const third = '01890a5d-ac96-774b-bcce-b302099a8059';

describe('setting a budget', () => {
  it('happens once', () => {
    const set = setBudget({ dayMicroUsd: '750' });
    expect(outcomeOf(set, after())).toEqual(['BudgetSet']);
    expect(outcomeOf(set, after(set))).toEqual([]);
  });

  it('needs a limit', () => {
    expect(outcomeOf(setBudget({}), after())).toMatchObject({ code: 'budget_without_limits' });
  });

  it('is possible for a limited number of keys', () => {
    const budgets = Array.from({ length: BUDGETS_MAX }, (_, n) =>
      setBudget({ dayMicroUsd: '1' }, { key: n.toString(16).padStart(16, '0') }),
    );
    const one = setBudget({ dayMicroUsd: '1' });
    expect(outcomeOf(one, after(...budgets))).toMatchObject({ code: 'too_many_budgets' });
    expect(outcomeOf(one, after(...budgets.slice(1)))).toEqual(['BudgetSet']);
  });

  it('can be taken back once', () => {
    const set = setBudget({ dayMicroUsd: '750' }, { key: KEY });
    expect(outcomeOf(removeBudget(KEY), after(set))).toEqual(['BudgetRemoved']);
    expect(outcomeOf(removeBudget(), after(set))).toMatchObject({ code: 'budget_not_found' });
    const removed = after(set, removeBudget(KEY));
    expect(outcomeOf(removeBudget(KEY), removed)).toMatchObject({ code: 'budget_not_found' });
  });

  describe('with an owner', () => {
    const operator = { owner: 'operator' } as const;
    const refused = { code: 'budget_not_changeable' };
    const limits = { dayMicroUsd: '1000' };
    const ofOperator = setBudget(limits, { by: operator });

    it('are not lifted by the account when the operator set them', () => {
      const set = after(ofOperator);
      expect(outcomeOf(removeBudget(), set)).toMatchObject(refused);
      expect(outcomeOf(setBudget({ dayMicroUsd: '2000' }), set)).toMatchObject(refused);
      expect(outcomeOf(setBudget(limits), set)).toMatchObject(refused);
      expect(outcomeOf(setBudget(limits, { key: KEY }), set)).toEqual(['BudgetSet']);
      expect(outcomeOf(removeBudget(undefined, undefined, operator), set)).toEqual([
        'BudgetRemoved',
      ]);
    });

    it('are not lifted by the account when the account above set them', () => {
      const parent = { owner: 'parent' } as const;
      const set = after(setBudget(limits, { by: parent }));
      expect(outcomeOf(removeBudget(), set)).toMatchObject(refused);
      expect(outcomeOf(setBudget({ dayMicroUsd: '2000' }), set)).toMatchObject(refused);
      const wider = setBudget({ dayMicroUsd: '2000' }, { by: parent });
      expect(outcomeOf(wider, set)).toEqual(['BudgetSet']);
      expect(outcomeOf(wider, after(ofOperator))).toMatchObject(refused);
      expect(outcomeOf(ofOperator, set)).toEqual(['BudgetSet']);
    });

    it('are taken over by the operator', () => {
      const set = after(setBudget(limits), ofOperator);
      expect(outcomeOf(removeBudget(), set)).toMatchObject(refused);
    });

    it('are changed by no key that has one itself', () => {
      const byKey = { owner: 'account', key: KEY } as const;
      const set = after(setBudget(limits), setBudget(limits, { key: KEY }));
      for (const changed of [undefined, KEY, OTHER_KEY]) {
        expect(outcomeOf(removeBudget(changed, undefined, byKey), set)).toMatchObject(refused);
        const terms = { by: byKey, ...(changed !== undefined && { key: changed }) };
        expect(outcomeOf(setBudget(limits, terms), set)).toMatchObject(refused);
      }
      const byOther = { owner: 'account', key: OTHER_KEY } as const;
      expect(outcomeOf(removeBudget(KEY, undefined, byOther), set)).toEqual(['BudgetRemoved']);
    });
  });
});

describe('a budget in dollars', () => {
  const daily = setBudget({ dayMicroUsd: '1000' });

  it('admits what fits and says what is left for whom', () => {
    const state = after(daily, ask(WORST));
    expect(outcomeOf(ask([1_000, 166], { holdId: OTHER_HOLD }), state)).toEqual(['HoldPlaced']);
    expect(outcomeOf(ask([1_000, 168], { holdId: OTHER_HOLD }), state)).toEqual({
      code: 'budget_exceeded',
      reason: 'in_flight',
      limit_source: 'account',
      window: 'day',
      period: '2026-11-21',
      limit_micro_usd: '1000',
      charged_micro_usd: '0',
      held_micro_usd: '750',
      asked_micro_usd: '251',
      resets_at: '2026-11-22T00:00:00.000Z',
      retry_after_seconds: 1,
    });
  });

  it('says that waiting for running work does not help', () => {
    const state = after(daily, ask(WORST), capture(WORST));
    const refused = outcomeOf(ask(WORST, { holdId: OTHER_HOLD }), state);
    expect(refused).toMatchObject({ reason: 'budget_exceeded', charged_micro_usd: '750' });
    expect(refused).not.toHaveProperty('retry_after_seconds');
  });

  it('takes back what a hold did not use', () => {
    const state = after(daily, ask(WORST), capture([1_000, 0]));
    expect(state.budgets.get('')?.day).toMatchObject({ used: 150n, held: 0n });
    const freed = after(daily, ask(WORST), release());
    expect(freed.budgets.get('')?.day).toMatchObject({ used: 0n, held: 0n });
  });

  it('begins again each day, while a month lasts', () => {
    const monthly = setBudget({ dayMicroUsd: '1000', monthMicroUsd: '1600' });
    const state = after(monthly, ask(WORST), capture(WORST));
    const tomorrow = ask(WORST, { holdId: OTHER_HOLD, at: NEXT_DAY });
    expect(outcomeOf(tomorrow, state)).toEqual(['HoldPlaced']);
    const later = after(monthly, ask(WORST), capture(WORST), tomorrow);
    const again = ask(WORST, { holdId: third, at: '2026-11-23T05:00:00.000Z' });
    expect(outcomeOf(again, later)).toMatchObject({
      reason: 'in_flight',
      window: 'month',
      period: '2026-11',
      resets_at: '2026-12-01T00:00:00.000Z',
    });
    const nextMonth = ask(WORST, { holdId: third, at: NEXT_MONTH });
    expect(outcomeOf(nextMonth, later)).toEqual(['HoldPlaced']);
  });

  it('charges a hold to the day on which it was placed', () => {
    const tomorrow = ask(WORST, { holdId: OTHER_HOLD, at: NEXT_DAY });
    const state = after(daily, ask(WORST), tomorrow, capture([1_000, 0]));
    expect(state.budgets.get('')?.day).toMatchObject({
      period: '2026-11-22',
      used: 750n,
      held: 750n,
    });
  });

  it('counts a renewal in the window in which it comes, and frees that first', () => {
    const renewal = renew([1_000, 0]);
    const state = after(daily, ask(WORST), renewal);
    expect(state.budgets.get('')?.day).toMatchObject({ used: 900n, held: 900n });
    expect(outcomeOf(renew([2_000, 0]), after(daily, ask(WORST)))).toMatchObject({
      code: 'budget_exceeded',
    });
    const nextDay = {
      ...renewal,
      data: { ...renewal.data, renewedAt: NEXT_DAY, expiresAt: NEXT_MONTH },
    };
    const spanning = after(daily, ask(WORST), nextDay);
    expect(spanning.budgets.get('')?.day).toMatchObject({ period: '2026-11-22', used: 150n });
    const ended = after(daily, ask(WORST), nextDay, capture([1_500, 1_000]));
    expect(ended.budgets.get('')?.day).toMatchObject({ used: 75n, held: 0n });
    expect(ended.budgets.get('')?.month).toMatchObject({ used: 825n, held: 0n });
  });

  it('binds the key that has it', () => {
    const state = after(setBudget({ dayMicroUsd: '700' }, { key: KEY }));
    expect(outcomeOf(ask(WORST, { key: KEY }), state)).toMatchObject({ limit_source: 'key' });
    expect(outcomeOf(ask(WORST, { key: OTHER_KEY }), state)).toEqual(['HoldPlaced']);
    expect(outcomeOf(ask(WORST), state)).toEqual(['HoldPlaced']);
  });

  it('counts the holds of all keys in the budget of the account', () => {
    const state = after(daily, ask(WORST, { key: KEY }));
    const other = ask(WORST, { key: OTHER_KEY, holdId: OTHER_HOLD });
    expect(outcomeOf(other, state)).toMatchObject({ limit_source: 'account' });
  });

  it('does not know the holds from before it was set, nor the holds of a removed one', () => {
    const late = after(ask(WORST), daily, capture(WORST));
    expect(late.budgets.get('')?.day).toMatchObject({ used: 0n, held: 0n });
    const again = after(daily, ask(WORST), removeBudget(), daily, release());
    expect(again.budgets.get('')?.day).toMatchObject({ used: 0n, held: 0n });
  });

  it('keeps what is spent when its limit changes', () => {
    const state = after(daily, ask(WORST), setBudget({ dayMicroUsd: '1500' }));
    expect(outcomeOf(ask(WORST, { holdId: OTHER_HOLD }), state)).toEqual(['HoldPlaced']);
    const lower = after(daily, ask(WORST), setBudget({ dayMicroUsd: '100' }));
    expect(outcomeOf(ask([1, 0], { holdId: OTHER_HOLD }), lower)).toMatchObject({
      code: 'budget_exceeded',
    });
  });

  it('cuts the line that may be cut', () => {
    const state = after(setBudget({ dayMicroUsd: '450' }));
    const [event] = decided(ask(WORST, { outputAtLeast: 1 }), state);
    expect(event?.data).toMatchObject({
      amountMicroUsd: '450',
      lines: [{ quantity: 1_000 }, { quantity: 500 }],
    });
  });

  it('never goes back to an older window', () => {
    const state = after(daily, ask(WORST, { at: NEXT_DAY }), ask([1, 0], { holdId: OTHER_HOLD }));
    expect(state.budgets.get('')?.day).toMatchObject({ period: '2026-11-22', used: 751n });
  });
});

describe('the thresholds of a budget', () => {
  const alerting = setBudget({ dayMicroUsd: '1000' }, { alertPercents: [50, 70, 100] });

  it('are reported once, the highest one, by the charge that reaches them', () => {
    const state = after(alerting, ask(WORST));
    const [charged, reached] = decided(capture(WORST), state);
    expect(charged?.type).toBe('HoldCaptured');
    expect(reached).toEqual({
      type: 'BudgetThresholdReached',
      data: {
        accountId: '7',
        window: 'day',
        period: '2026-11-21',
        percent: 70,
        limitMicroUsd: '1000',
        chargedMicroUsd: '750',
        reachedAt: '2026-11-21T05:00:02.500Z',
      },
    });
    const more = after(alerting, ask(WORST), capture(WORST), ask([100, 0], { holdId: OTHER_HOLD }));
    expect(outcomeOf(capture([100, 0], OTHER_HOLD), more)).toEqual(['HoldCaptured']);
  });

  it('are reported when a lower limit makes them so', () => {
    const state = after(alerting, ask(WORST), capture([1_000, 0]));
    const lower = setBudget({ dayMicroUsd: '200' }, { alertPercents: [50, 70, 100], setAt: AT });
    expect(decided(lower, state).map(({ data }) => 'percent' in data && data.percent)).toEqual([
      false,
      70,
    ]);
  });

  it('report the whole when the budget rejects a request, once in a window', () => {
    const report = (at: string): AccountCommand => ({
      type: 'ReportExhausted',
      data: { accountId: '7', budget: '', window: 'day', at },
    });
    expect(outcomeOf(report(AT), after(alerting))).toEqual(['BudgetThresholdReached']);
    expect(outcomeOf(report(AT), after(alerting, report(AT)))).toEqual([]);
    const tomorrow = after(alerting, report(AT));
    expect(outcomeOf(report(NEXT_DAY), tomorrow)).toEqual(['BudgetThresholdReached']);
    const silent = after(setBudget({ dayMicroUsd: '1000' }, { alertPercents: [50] }));
    expect(outcomeOf(report(AT), silent)).toEqual([]);
  });
});

describe('a limit per minute', () => {
  const paced = setBudget({ requestsPerMinute: 2, tokensPerMinute: 5_000 }, { key: KEY });
  const asking = { key: KEY, at: '2026-11-21T05:00:20.000Z' };

  it('admits its requests and says when the next one fits', () => {
    const two = [ask(WORST, asking), ask(WORST, { ...asking, holdId: OTHER_HOLD })] as const;
    expect(outcomeOf(ask(WORST, { ...asking, holdId: third }), after(paced, ...two))).toEqual({
      code: 'rate_limit_exceeded',
      reason: 'rate_limit',
      limit_source: 'key',
      requests_per_minute: 2,
      remaining: 0,
      retry_after_seconds: 40,
    });
    const next = ask(WORST, { key: KEY, at: '2026-11-21T05:01:00.000Z', holdId: third });
    expect(outcomeOf(next, after(paced, ...two))).toEqual(['HoldPlaced']);
  });

  it('reserves tokens and returns unused ones', () => {
    const state = after(paced, ask([2_000, 2_000], asking));
    const next = ask(WORST, { ...asking, holdId: OTHER_HOLD });
    expect(outcomeOf(next, state)).toMatchObject({ tokens_per_minute: 5_000 });
    const ended = after(paced, ask([2_000, 2_000], asking), capture([2_000, 10], HOLD));
    expect(ended.budgets.get(KEY)?.minute).toMatchObject({ requests: 1, tokens: 2_010 });
    expect(outcomeOf(next, ended)).toEqual(['HoldPlaced']);
  });

  it('says that a request never fits, and gives no pause', () => {
    const refused = outcomeOf(ask([5_000, 1], asking), after(paced));
    expect(refused).toEqual({
      code: 'rate_limit_exceeded',
      reason: 'request_exceeds_limit',
      limit_source: 'key',
      tokens_per_minute: 5_000,
      asked_tokens: 5_001,
    });
  });

  it('cuts a request without a limit of its own to what a minute has', () => {
    const [event] = decided(ask([2_000, 8_000], { ...asking, outputAtLeast: 1 }), after(paced));
    expect(event?.data).toMatchObject({ lines: [{ quantity: 2_000 }, { quantity: 3_000 }] });
  });

  it('does not count work that no caller waits for', () => {
    const batch = ask([9_000, 9_000], { ...asking, paced: false });
    const state = after(paced, batch);
    expect(state.budgets.get(KEY)?.minute).toMatchObject({ requests: 0, tokens: 0 });
  });
});
