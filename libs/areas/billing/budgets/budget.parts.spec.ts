import { describe, expect, it } from '@jest/globals';
import { type AccountCommand } from '../account.decider.js';
import { capture, OTHER_HOLD, release, renew } from '../account.fixture.js';
import { type BudgetSubject, type Spender } from './budget.state.js';
import { after, ask, decided, KEY, OTHER_KEY, outcomeOf, setBudget } from './budget.fixture.js';

/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;
const AT = '2026-11-21T05:00:00.000Z';

describe('the windows of a budget', () => {
  /** 2026-11-21 is a Saturday. */
  const [MONDAY, SUNDAY] = ['2026-11-23T00:00:00.000Z', '2026-11-22T23:59:59.999Z'];
  const asking = (at: string, holdId = OTHER_HOLD) => ask(WORST, { at, holdId });

  it('are weeks from Monday to Sunday', () => {
    const state = after(setBudget({ weekMicroUsd: '1000' }), ask(WORST));
    expect(outcomeOf(asking(SUNDAY), state)).toMatchObject({
      ...{ window: 'week', period: '2026-W47', resets_at: MONDAY, limit_source: 'account' },
    });
    expect(outcomeOf(asking(MONDAY), state)).toEqual(['HoldPlaced']);
  });

  it('have the week of the year of its Thursday', () => {
    const at = '2027-01-03T05:00:00.000Z';
    const state = after(setBudget({ weekMicroUsd: '1000' }), ask(WORST, { at }));
    expect(outcomeOf(ask(WORST, { at, holdId: OTHER_HOLD }), state)).toMatchObject({
      ...{ period: '2026-W53', resets_at: '2027-01-04T00:00:00.000Z' },
    });
    const next = ask(WORST, { at: '2027-01-04T00:00:00.000Z', holdId: OTHER_HOLD });
    expect(outcomeOf(next, state)).toEqual(['HoldPlaced']);
  });

  it('end never for a total', () => {
    const state = after(setBudget({ totalMicroUsd: '1000' }), ask(WORST), capture(WORST));
    expect(outcomeOf(asking('2031-01-01T00:00:00.000Z'), state)).toMatchObject({
      ...{ window: 'total', period: 'total', resets_at: null, reason: 'budget_exceeded' },
    });
    const freed = after(setBudget({ totalMicroUsd: '1000' }), ask(WORST), release());
    expect(outcomeOf(asking('2031-01-01T00:00:00.000Z'), freed)).toEqual(['HoldPlaced']);
  });

  it('report a threshold of a total once', () => {
    const total = setBudget({ totalMicroUsd: '1000' }, { alertPercents: [70] });
    expect(outcomeOf(capture(WORST), after(total, ask(WORST)))).toEqual([
      'HoldCaptured',
      'BudgetThresholdReached',
    ]);
    const later = after(total, ask(WORST), capture(WORST), ask([100, 0], { holdId: OTHER_HOLD }));
    expect(outcomeOf(capture([100, 0], OTHER_HOLD), later)).toEqual(['HoldCaptured']);
  });
});

describe('a budget of a part of the spending', () => {
  const endUser = '7f'.repeat(32);
  const tag = 'project=alpha';
  const all = { key: KEY, endUser, tags: ['env=prod', tag] };

  it.each<[string, BudgetSubject, Spender]>([
    ['user', { endUser }, { tags: [tag] }],
    ['tag', { tag }, { tags: ['project=beta'], endUser }],
    ['key', { key: KEY }, { key: OTHER_KEY, endUser, tags: [tag] }],
  ])('limits the requests of its %s alone', (source, subject, others) => {
    const state = after(setBudget({ totalMicroUsd: '1000' }, subject), ask(WORST, all));
    const rejected = outcomeOf(ask(WORST, { ...all, holdId: OTHER_HOLD }), state);
    expect(rejected).toMatchObject({ code: 'budget_exceeded', limit_source: source });
    expect(outcomeOf(ask(WORST, { ...others, holdId: OTHER_HOLD }), state)).toEqual(['HoldPlaced']);
  });

  it('counts a renewal and gives back the unused part', () => {
    const set = setBudget({ totalMicroUsd: '1000' }, { tag });
    const state = after(set, ask(WORST, all), renew([1_000, 0]), capture([1_000, 0]));
    expect(state.budgets.get(tag)?.total).toMatchObject({ used: 150n, held: 0n });
  });

  it('names itself where it is reported', () => {
    const set = setBudget({ totalMicroUsd: '1000' }, { endUser, alertPercents: [70] });
    const [, reached] = decided(capture(WORST), after(set, ask(WORST, all)));
    expect(reached?.data).toMatchObject({ endUser, window: 'total', period: 'total' });
    const report: AccountCommand = {
      type: 'ReportExhausted',
      data: { accountId: '7', budget: tag, window: 'total', at: AT },
    };
    const ofTag = setBudget({ totalMicroUsd: '1000' }, { tag, alertPercents: [100] });
    expect(decided(report, after(ofTag))[0]?.data).toMatchObject({ tag, percent: 100 });
  });
});
