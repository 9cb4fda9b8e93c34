import { describe, expect, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import {
  ACCOUNT,
  captured,
  deposited,
  expired,
  opened,
  OTHER_HOLD,
  placed,
  released,
  renewed,
} from '#areas/billing/account.fixture.js';
import { accountOverview } from './account-overview.projection.js';

const WORST = [1_000, 1_000] as const;
const untouched = {
  accountId: ACCOUNT,
  available: '0',
  deposited: '0',
  charged: { inference: '0', compute: '0' },
  adjusted: '0',
  held: '0',
  openHolds: 0,
};

const overviewOf = (...events: readonly AccountEvent[]) =>
  events.reduce(
    (document, event) => accountOverview.project(event, document, ACCOUNT) ?? document,
    accountOverview.initial(ACCOUNT),
  );

const held = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)] as const;

describe('account overview', () => {
  it('starts with nothing', () => {
    expect(overviewOf(opened)).toEqual(untouched);
  });

  it('adds deposits', () => {
    expect(overviewOf(opened, deposited(1_000, 1_000), deposited(5, 1_005, 'second', 2))).toEqual({
      ...untouched,
      available: '1005',
      deposited: '1005',
    });
  });

  it('shows what is held', () => {
    expect(overviewOf(...held, placed([0, 100], 60, 190, OTHER_HOLD))).toEqual({
      ...untouched,
      available: '190',
      deposited: '1000',
      held: '810',
      openHolds: 2,
    });
  });

  it('charges, and frees the rest', () => {
    expect(overviewOf(...held, captured([900, 100], 195, 555, 805))).toEqual({
      ...untouched,
      available: '805',
      deposited: '1000',
      charged: { inference: '195', compute: '0' },
    });
  });

  it('keeps charges of one group apart from the charges of another', () => {
    const { type, data } = captured([900, 100], 195, 555, 805);
    const rented: AccountEvent = { type, data: { ...data, group: 'compute' } };
    expect(overviewOf(...held, rented)).toMatchObject({
      charged: { inference: '0', compute: '195' },
    });
  });

  it('holds more after a renewal', () => {
    expect(overviewOf(...held, renewed([0, 100], 60, 190))).toEqual({
      ...untouched,
      available: '190',
      deposited: '1000',
      held: '810',
      openHolds: 1,
    });
  });

  it.each([
    ['released', released(750, 1_000)],
    ['expired', expired(750, 1_000)],
  ])('frees a hold that was %s', (_, end) => {
    expect(overviewOf(...held, end)).toEqual({
      ...untouched,
      available: '1000',
      deposited: '1000',
    });
  });

  it('keeps one document an account', () => {
    for (const event of held) expect(accountOverview.keys(event)).toEqual([ACCOUNT]);
  });
});
