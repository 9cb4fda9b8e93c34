import { describe, expect, it } from '@jest/globals';
import { accountDecider } from './account.decider.js';
import { accountSnapshots } from './account.snapshot.js';
import {
  accountClosed,
  added,
  arrived,
  childClosed,
  openedBelow,
  PROJECT,
  sent,
  TEAM,
} from './allotment.fixture.js';
import { budgetSet } from './budgets/budget.fixture.js';
import {
  ACCOUNT,
  captured,
  deposited,
  LABELS,
  opened,
  OTHER_HOLD,
  placed,
  renewed,
  withOrigin,
} from './account.fixture.js';

const { evolve, initialState } = accountDecider;

/** As the read store keeps it. */
const keep = (json: object): object => JSON.parse(JSON.stringify(json)) as object;

describe('account snapshot', () => {
  it.each([
    ['of an untouched account', []],
    [
      'of a busy account',
      [
        opened,
        deposited(10_000, 10_000),
        deposited(5, 10_005, '__proto__', 2),
        placed([1_000, 1_000], 750, 9_255),
        withOrigin(placed([1_000, 0], 150, 9_105, OTHER_HOLD), { ...LABELS, mode: 'auto' }),
        captured([1_000, 0], 150, 600, 9_705),
        renewed([0, 100], 60, 9_645, { holdId: OTHER_HOLD }),
        added(),
        sent([45, 45, 9_600]),
        arrived([5, 5, 9_605], { from: TEAM, to: ACCOUNT, number: 2 }),
        budgetSet({ weekMicroUsd: '900', totalMicroUsd: '1000' }, { tag: 'project=alpha' }),
      ],
    ],
    [
      'of a closed account',
      [openedBelow(), added(TEAM, PROJECT, 2), childClosed(PROJECT), accountClosed()],
    ],
  ])('%s comes back as it was', (_, facts) => {
    const state = facts.reduce(evolve, initialState);
    const back = accountSnapshots.fromJson(keep(accountSnapshots.toJson(state)));
    const inLists = ({ holds, deposits, relatives, allotments, ...rest }: typeof state) => ({
      ...rest,
      lists: [holds, deposits, relatives, allotments].map((one) => [...one]),
    });
    expect(inLists(back)).toEqual(inLists(state));
  });

  it('rejects what is no snapshot of this version', () => {
    expect(() => accountSnapshots.fromJson({ opened: true })).toThrow();
  });
});
