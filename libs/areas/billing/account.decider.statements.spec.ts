import { describe, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { accountDecider } from './account.decider.js';
import { type StatementTaxTerms } from './statements/close-statement.js';
import {
  adjust,
  adjusted,
  capture,
  captured,
  closeStatement,
  CLOSED_AT,
  deposit,
  deposited,
  opened,
  placed,
  statementClosed,
} from './account.fixture.js';

const account = deciderSpecOf(accountDecider);
const WORST = [1_000, 1_000] as const;
const USED = [900, 100] as const;
const held = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)] as const;
const charged = [...held, captured(USED, 195, 555, 805)] as const;
const NOVEMBER = statementClosed([0, 1_000, 195, 0, 805], 805);
const VAT: StatementTaxTerms = {
  country: 'DE',
  region: null,
  treatment: 'taxable',
  kind: 'vat',
  ratePpm: 190_000,
  source: 'a table',
};

const bookedIn = <Event extends AccountEvent>({ type, data }: Event, month: string) =>
  ({ type, data: { ...data, bookedIn: month } }) as Event;

describe('adjusting charges', () => {
  it('gives back, and numbers the adjustment', () => {
    account
      .given(...charged)
      .when(adjust(95))
      .then(adjusted(95, 900));
    account
      .given(...charged, adjusted(95, 900))
      .when(adjust(-10, 'second'))
      .then(adjusted(-10, 890, { adjustmentId: 'second', adjustmentNumber: 2 }));
  });

  it('makes the same adjustment once, and no other one under its id', () => {
    account
      .given(...charged, adjusted(95, 900))
      .when(adjust(95))
      .thenNothing();
    account
      .given(...charged, adjusted(95, 900))
      .when(adjust(94))
      .thenThrows('adjustment_conflict');
  });

  it('gives back no more than was charged', () => {
    account
      .given(...charged)
      .when(adjust(195))
      .then(adjusted(195, 1_000));
    account
      .given(...charged)
      .when(adjust(196))
      .thenThrows('adjustment_above_charges');
    account
      .given(...charged, adjusted(95, 900))
      .when(adjust(101, 'second'))
      .thenThrows('adjustment_above_charges');
  });

  it('charges no more than is available', () => {
    account
      .given(...charged)
      .when(adjust(-805))
      .then(adjusted(-805, 0));
    account
      .given(...charged)
      .when(adjust(-806))
      .thenThrows('insufficient_balance');
  });

  it('rejects an adjustment of nothing, and one of a month to come', () => {
    account
      .given(...charged)
      .when(adjust(0))
      .thenThrows('adjustment_empty');
    const { type, data } = adjust(5);
    const refersTo = { month: '2027-01', holdId: null };
    account
      .given(...charged)
      .when({ type, data: { ...data, refersTo } })
      .thenThrows('statement_not_found');
  });
});

describe('closing the statement of a month', () => {
  it('states what the month came to', () => {
    account
      .given(...charged)
      .when(closeStatement())
      .then(NOVEMBER);
  });

  it('states the tax that is in the charges, to the nearest micro-dollar', () => {
    const tax = { ...VAT, grossMicroUsd: '195', taxMicroUsd: '31' };
    account
      .given(...charged)
      .when(closeStatement('2026-11', VAT))
      .then(statementClosed([0, 1_000, 195, 0, 805], 805, { tax }));
  });

  it('opens the next one with the rest', () => {
    account
      .given(...charged, NOVEMBER, adjusted(95, 900))
      .when(closeStatement('2026-12', null, '2027-01-01T00:00:00.000Z'))
      .then({
        type: 'StatementClosed',
        data: {
          ...statementClosed([805, 0, 0, 95, 900], 900, { month: '2026-12' }).data,
          closedAt: '2027-01-01T00:00:00.000Z',
        },
      });
  });

  it('closes a month once, and not at all where nothing moved', () => {
    account
      .given(...charged, NOVEMBER)
      .when(closeStatement())
      .thenNothing();
    account
      .given(...charged)
      .when(closeStatement('2026-10'))
      .thenNothing();
  });

  it('waits until the month is over', () => {
    account
      .given(...charged)
      .when(closeStatement('2026-11', null, '2026-11-30T23:59:59.999Z'))
      .thenThrows('month_not_closable');
  });

  it('closes months in their order', () => {
    account
      .given(...charged, adjusted(95, 900))
      .when(closeStatement('2026-12', null, '2027-01-01T00:00:00.000Z'))
      .thenThrows('month_not_closable');
  });
});

describe('a movement of a closed month', () => {
  const closedEarly = statementClosed([0, 1_000, 0, 0, 1_000], 250);

  it('is on the statement of the next month', () => {
    account
      .given(...held, closedEarly)
      .when(capture(USED))
      .then(bookedIn(captured(USED, 195, 555, 805), '2026-12'));
    account
      .given(...held, closedEarly)
      .when(deposit(5, 'late'))
      .then(bookedIn(deposited(5, 255, 'late', 2), '2026-12'));
  });

  it('counts in the month that it is booked in', () => {
    account
      .given(...held, closedEarly, bookedIn(captured(USED, 195, 555, 805), '2026-12'))
      .when(closeStatement('2026-12', null, '2027-01-01T00:00:00.000Z'))
      .then({
        type: 'StatementClosed',
        data: {
          ...statementClosed([1_000, 0, 195, 0, 805], 805, { month: '2026-12' }).data,
          closedAt: '2027-01-01T00:00:00.000Z',
        },
      });
  });

  it('is what an adjustment never is: it counts when it is made', () => {
    account
      .given(...charged, NOVEMBER)
      .when(adjust(95))
      .then(adjusted(95, 900));
    account
      .given(...charged, NOVEMBER, adjusted(95, 900))
      .when(closeStatement('2026-12', null, CLOSED_AT))
      .thenThrows('month_not_closable');
  });
});
