import { describe, expect, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { specificationOf } from '#platform/kernel/decider.fixture.js';
import { type AccountCommand, accountDecider, DEPOSITED_MAX } from './account.decider.js';
import {
  capture,
  captured,
  deposit,
  deposited,
  ENDED_AT,
  expire,
  expired,
  EXPIRES_AT,
  open,
  opened,
  OTHER_HOLD,
  place,
  placed,
  release,
  released,
} from './account.specification.js';

const account = specificationOf(accountDecider);
/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;

describe('opening and depositing', () => {
  it('opens an account once', () => {
    account.given().when(open).then(opened);
    account.given(opened).when(open).thenNothing();
  });

  it('credits a deposit, numbers it and states what is available', () => {
    account.given(opened).when(deposit(1_000)).then(deposited(1_000, 1_000));
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(500, 'second'))
      .then(deposited(500, 1_500, 'second', 2));
  });

  it('credits the same deposit once', () => {
    account.given(opened, deposited(1_000, 1_000)).when(deposit(1_000)).thenNothing();
  });

  it('refuses a known deposit with another amount', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(1_001))
      .thenRefused('deposit_conflict');
  });

  it('refuses a deposit of nothing', () => {
    account.given(opened).when(deposit(0)).thenRefused('amount_not_positive');
  });

  it('refuses what the decimals of the log could not hold', () => {
    account
      .given(opened)
      .when(deposit(DEPOSITED_MAX + 1n))
      .thenRefused('amount_too_large');
    account
      .given(opened, deposited(1, 1))
      .when(deposit(DEPOSITED_MAX, 'second'))
      .thenRefused('amount_too_large');
  });

  it('says the amount is at fault before it looks whether the deposit is known', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(0))
      .thenRefused('amount_not_positive');
  });

  it('says a deposit conflicts before it says that it is too large', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(DEPOSITED_MAX))
      .thenRefused('deposit_conflict');
  });
});

describe('an account that was never opened', () => {
  it.each<[string, AccountCommand]>([
    ['a deposit', deposit(0)],
    ['a hold', place(WORST)],
    ['a capture', capture(WORST)],
    ['a release', release()],
    ['an expiry', expire()],
  ])('refuses %s, whatever else is wrong with it', (_, command) => {
    account.given().when(command).thenRefused('account_not_found');
  });
});

describe('holding', () => {
  it('reserves the worst-case price', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(place(WORST))
      .then(placed(WORST, 750, 250));
  });

  it('reserves the last micro-dollar', () => {
    account
      .given(opened, deposited(750, 750))
      .when(place(WORST))
      .then(placed(WORST, 750, 0));
  });

  it('holds nothing for a model that is free', () => {
    account
      .given(opened)
      .when(place([0, 0]))
      .then(placed([0, 0], 0, 0));
  });

  it('has nothing new for a hold that is open, even if it would not be covered again', () => {
    account
      .given(opened, deposited(1_000, 1_000), placed(WORST, 750, 250))
      .when(place(WORST))
      .thenNothing();
  });

  it('cuts the output to what the balance covers when it may', () => {
    // 150 for the input leave 99 micro-dollars: 165 tokens of output.
    account
      .given(opened, deposited(249, 249))
      .when(place(WORST, { outputAtLeast: 1 }))
      .then(placed([1_000, 165], 249, 0));
  });

  it('leaves the output alone when the balance covers it', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(place(WORST, { outputAtLeast: 1 }))
      .then(placed(WORST, 750, 250));
  });

  it('refuses when the balance does not cover even the least output', () => {
    account
      .given(opened, deposited(152, 152))
      .when(place(WORST, { outputAtLeast: 4 }))
      .thenRefused('insufficient_balance');
    account
      .given(opened, deposited(153, 153))
      .when(place(WORST, { outputAtLeast: 4 }))
      .then(placed([1_000, 5], 153, 0));
  });

  const refusalOf = (command: AccountCommand, facts: readonly AccountEvent[]): DomainError => {
    try {
      accountDecider.decide(
        command,
        facts.reduce(accountDecider.evolve, accountDecider.initialState),
      );
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const refusal: DomainError = error;
      return refusal;
    }
    throw new Error('not refused');
  };

  it('says that the balance is too low', () => {
    const { code, metadata } = refusalOf(place(WORST), [opened, deposited(749, 749)]);
    expect(code).toBe('insufficient_balance');
    expect(metadata).toEqual({ reason: 'balance_too_low' });
  });

  it('says when waiting for running requests helps', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    const { code, metadata } = refusalOf(place(WORST, { holdId: OTHER_HOLD }), facts);
    expect(code).toBe('insufficient_balance');
    expect(metadata).toEqual({ reason: 'held_by_running_requests' });
  });

  it('counts on all of what is held to come back', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    // 6,666 tokens cost 999.9 micro-dollars, so 1,000.
    const { metadata } = refusalOf(place([6_666, 0], { holdId: OTHER_HOLD }), facts);
    expect(metadata).toEqual({ reason: 'held_by_running_requests' });
  });

  it('does not promise that waiting helps where it never could', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    const { metadata } = refusalOf(place([10_000, 0], { holdId: OTHER_HOLD }), facts);
    expect(metadata).toEqual({ reason: 'balance_too_low' });
  });
});

describe('ending a hold', () => {
  const held = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)] as const;

  it('charges what the work came to and frees the rest', () => {
    account
      .given(...held)
      .when(capture([900, 100]))
      .then(captured([900, 100], 195, 555, 805));
  });

  it('charges all of it', () => {
    account
      .given(...held)
      .when(capture(WORST))
      .then(captured(WORST, 750, 0, 250));
  });

  it('charges nothing', () => {
    account
      .given(...held)
      .when(capture([0, 0]))
      .then(captured([0, 0], 0, 750, 1_000));
  });

  it('rounds a charge up once, not once a line', () => {
    // 0.15 + 0.6 = 0.75 of a micro-dollar.
    account
      .given(...held)
      .when(capture([1, 1]))
      .then(captured([1, 1], 1, 749, 999));
  });

  it('refuses a charge above the hold', () => {
    account
      .given(...held)
      .when(capture([1_000, 1_001]))
      .thenRefused('capture_above_hold');
  });

  it('refuses a charge for more of one meter, even if it is less in all', () => {
    account
      .given(...held)
      .when(capture([1_001, 0]))
      .thenRefused('capture_above_hold');
  });

  it('refuses a charge that counts a meter twice', () => {
    const { data } = capture(WORST) as AccountCommand & { type: 'CaptureHold' };
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines: [...data.lines, ...data.lines] } })
      .thenRefused('capture_above_hold');
  });

  it('refuses a charge at another price than that of the hold', () => {
    const { data } = capture([1, 1]) as AccountCommand & { type: 'CaptureHold' };
    const lines = data.lines.map((line) => ({ ...line, unitPriceMicroUsd: '1' }));
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines } })
      .thenRefused('capture_above_hold');
  });

  it('frees the hold of work that came to nothing', () => {
    account
      .given(...held)
      .when(release())
      .then(released(750, 1_000));
  });

  it('expires a hold at its deadline', () => {
    account
      .given(...held)
      .when(expire(EXPIRES_AT))
      .then(expired(750, 1_000));
  });

  it('refuses to expire a hold before its deadline', () => {
    account
      .given(...held)
      .when(expire(ENDED_AT))
      .thenRefused('hold_not_due');
  });

  const ends = [
    ['captured', captured(WORST, 750, 0, 250)],
    ['released', released(750, 1_000)],
    ['expired', expired(750, 1_000)],
  ] as const;

  it.each(ends)('neither charges nor frees a hold that was %s', (_, end) => {
    account
      .given(...held, end)
      .when(capture(WORST))
      .thenRefused('hold_not_open');
    account
      .given(...held, end)
      .when(release())
      .thenRefused('hold_not_open');
  });

  it.each(ends)('has nothing to expire in a hold that was %s', (_, end) => {
    account
      .given(...held, end)
      .when(expire())
      .thenNothing();
  });

  it('says that a hold is not open before it says that the charge is too high', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(capture([10_000, 10_000]))
      .thenRefused('hold_not_open');
  });

  it('ends the hold that is meant and no other', () => {
    account
      .given(
        opened,
        deposited(2_000, 2_000),
        placed(WORST, 750, 1_250),
        placed(WORST, 750, 500, OTHER_HOLD),
      )
      .when(release(OTHER_HOLD))
      .then(released(750, 1_250, OTHER_HOLD));
  });

  it('makes room for the next hold', () => {
    account
      .given(...held, captured([1_000, 0], 150, 600, 850))
      .when(place(WORST, { holdId: OTHER_HOLD }))
      .then(placed(WORST, 750, 100, OTHER_HOLD));
  });
});

describe('folding', () => {
  it('ignores the end of a hold that it does not know', () => {
    const state = [opened, deposited(1_000, 1_000)].reduce(
      accountDecider.evolve,
      accountDecider.initialState,
    );
    for (const end of [captured(WORST, 750, 0, 0), released(750, 0), expired(750, 0)]) {
      expect(accountDecider.evolve(state, end)).toBe(state);
    }
  });
});
