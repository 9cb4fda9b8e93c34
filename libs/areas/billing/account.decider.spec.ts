import { describe, expect, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { CaptureTerms, HoldOrigin, HoldTerms, type PriceLine } from '#events/hold.vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type AccountCommand, accountDecider } from './account.decider.js';
import { DEPOSITED_MAX } from './deposit.rules.js';
import {
  capture,
  captured,
  deposit,
  deposited,
  ENDED_AT,
  expire,
  expired,
  linesOf,
  open,
  opened,
  OTHER_HOLD,
  place,
  placed,
  release,
  released,
  renew,
  renewed,
  settle,
  type Tokens,
  reverse,
  reversed,
} from './account.fixture.js';

const account = deciderSpecOf(accountDecider);
/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;

const BALANCE = {
  limit_source: 'balance',
  available_micro_usd: '250',
  held_micro_usd: '750',
};
const TOO_LOW = { ...BALANCE, reason: 'insufficient_balance' };
/** Waiting helps. */
const IN_FLIGHT = { ...BALANCE, reason: 'in_flight', retry_after_seconds: 1 };

const inStep = (step: string, tokens: Tokens): PriceLine[] =>
  linesOf(tokens).map((line) => ({ step, ...line }));

describe('an event', () => {
  const labels = { key: 'k', tags: ['a=b'], endUser: 'u', trace: 't', mode: 'auto', model: 'm' };
  const order = { ...place(WORST).data, ...labels };
  const charge = { ...capture(WORST).data, model: 'n', jobId: 'j', bytesOut: 1, firstByteMs: 2 };
  const eventOf = (command: AccountCommand, ...past: readonly AccountEvent[]) => {
    const state = [opened, deposited(1_000, 1_000), ...past].reduce(
      accountDecider.evolve,
      accountDecider.initialState,
    );
    const [event] = accountDecider.decide(command, state);
    if (!event) throw new Error('nothing was decided');
    return event;
  };
  const held = eventOf({ type: 'PlaceHold', data: order });

  it('has every term of its hold', () => {
    expect(Object.keys(held.data)).toEqual(expect.arrayContaining(Object.keys(HoldTerms.shape)));
    const { shrink: _, ...terms } = order;
    expect(held.data).toMatchObject(terms);
  });

  it('has every term of its charge, and where the hold comes from', () => {
    const { data } = eventOf({ type: 'CaptureHold', data: charge }, held);
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining([
        ...Object.keys(CaptureTerms.shape),
        ...Object.keys(HoldOrigin.shape),
      ]),
    );
    expect(data).toMatchObject({ ...labels, placedAt: order.placedAt, ...charge });
  });

  it('has the labels of its hold where that ends without a charge', () => {
    expect(eventOf(release(), held).data).toMatchObject(labels);
  });
});

describe('a deposit that goes back', () => {
  const funded = [opened, deposited(1_000, 1_000)] as const;

  it('is taken from the balance', () => {
    account
      .given(...funded)
      .when(reverse(400))
      .then(reversed([400, 400], 600));
  });

  it('is taken up to the total, in whatever order the notices come', () => {
    account
      .given(...funded, reversed([400, 400], 600))
      .when(reverse(700))
      .then(reversed([300, 700], 300, 'refund', 2));
    account
      .given(...funded, reversed([400, 400], 600))
      .when(reverse(400))
      .thenNothing();
    account
      .given(...funded, reversed([400, 400], 600))
      .when(reverse(100))
      .thenNothing();
  });

  it('overdraws the account where the money was spent, and then nothing is held', () => {
    account
      .given(...funded, placed([4_000, 0], 600, 400))
      .when(reverse(1_000, 'chargeback'))
      .then(reversed([1_000, 1_000], -600, 'chargeback'));
    account
      .given(...funded, placed([4_000, 0], 600, 400), reversed([1_000, 1_000], -600, 'chargeback'))
      .when(place([1, 0], { holdId: OTHER_HOLD }))
      .thenThrows('insufficient_balance');
  });

  it('is never more than was credited, refunds and chargebacks together', () => {
    account
      .given(...funded)
      .when(reverse(1_001))
      .thenThrows('reversal_above_deposit');
    account
      .given(...funded, reversed([400, 400], 600))
      .when(reverse(601, 'chargeback'))
      .thenThrows('reversal_above_deposit');
  });

  it('is a deposit that is known', () => {
    account
      .given(...funded)
      .when(reverse(1, 'refund', 'second'))
      .thenThrows('deposit_not_found');
  });
});

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

  it('rejects a known deposit with another amount', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(1_001))
      .thenThrows('deposit_conflict');
  });

  it('rejects a deposit of nothing', () => {
    account.given(opened).when(deposit(0)).thenThrows('amount_not_positive');
  });

  it('credits what the decimals of the log can hold', () => {
    const most = 999_999_999_999_999_999n;
    account.given(opened).when(deposit(most)).then(deposited(most, most));
  });

  it('rejects what the decimals of the log could not hold', () => {
    account.given(opened).when(deposit(1_000_000_000_000_000_000n)).thenThrows('amount_too_large');
    account
      .given(opened, deposited(1, 1))
      .when(deposit(DEPOSITED_MAX, 'second'))
      .thenThrows('amount_too_large');
  });

  it('says the amount is at fault before it looks whether the deposit is known', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(0))
      .thenThrows('amount_not_positive');
  });

  it('says a deposit conflicts before it says that it is too large', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(deposit(DEPOSITED_MAX))
      .thenThrows('deposit_conflict');
  });
});

describe('an account that was never opened', () => {
  it.each<[string, AccountCommand]>([
    ['a deposit', deposit(0)],
    ['a hold', place(WORST)],
    ['a capture', capture(WORST)],
    ['a renewal', renew(WORST)],
    ['a release', release()],
    ['a settlement', settle()],
    ['an expiry', expire()],
  ])('rejects %s, whatever else is wrong with it', (_, command) => {
    account.given().when(command).thenThrows('account_not_found');
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

  describe('under an id that is open', () => {
    const held = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)] as const;
    const order = place(WORST);
    const orderWith = (data: Partial<typeof order.data>): AccountCommand => ({
      type: 'PlaceHold',
      data: { ...order.data, ...data },
    });

    it('has nothing new for the same order, even if it would not be covered again', () => {
      account
        .given(...held)
        .when(order)
        .thenNothing();
    });

    it('has nothing new for the same order when its output was cut, or renewed', () => {
      const short = [opened, deposited(249, 249), placed([1_000, 165], 249, 0)] as const;
      account
        .given(...short)
        .when(place(WORST, { outputAtLeast: 1 }))
        .thenNothing();
      account
        .given(...held, renewed([0, 100], 60, 190))
        .when(order)
        .thenNothing();
    });

    it.each<[string, AccountCommand]>([
      ['of another instant', orderWith({ placedAt: ENDED_AT })],
      ['for another purpose', orderWith({ purpose: 'loom_rental' })],
      ['under another rate card', orderWith({ rateCardVersion: 4 })],
      ['of less', place([1_000, 999])],
      ['of more', place([1_001, 1_000])],
      ['of more that may not be cut', place([1_001, 1_000], { outputAtLeast: 1 })],
      ['of fewer lines', orderWith({ lines: order.data.lines.slice(1) })],
      ['of other lines', orderWith({ lines: inStep('a', WORST) })],
    ])('rejects an order %s: another request has it', (_, other) => {
      account
        .given(...held)
        .when(other)
        .thenThrows('hold_conflict');
    });

    it('says that it is taken before it says that the balance is too low', () => {
      account
        .given(...held)
        .when(place([10_000, 10_000]))
        .thenThrows('hold_conflict');
    });
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

  it('rejects when the balance does not cover even the least output', () => {
    account
      .given(opened, deposited(152, 152))
      .when(place(WORST, { outputAtLeast: 4 }))
      .thenThrows('insufficient_balance');
    account
      .given(opened, deposited(153, 153))
      .when(place(WORST, { outputAtLeast: 4 }))
      .then(placed([1_000, 5], 153, 0));
  });

  const errorOf = (command: AccountCommand, facts: readonly AccountEvent[]): DomainError => {
    try {
      accountDecider.decide(
        command,
        facts.reduce(accountDecider.evolve, accountDecider.initialState),
      );
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const found: DomainError = error;
      return found;
    }
    throw new Error('no domain error');
  };

  it('says that the balance is too low', () => {
    const { code, metadata } = errorOf(place(WORST), [opened, deposited(749, 749)]);
    expect(code).toBe('insufficient_balance');
    expect(metadata).toMatchObject({ reason: 'insufficient_balance', available_micro_usd: '749' });
  });

  it('says when waiting for running requests helps', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    const { code, metadata } = errorOf(place(WORST, { holdId: OTHER_HOLD }), facts);
    expect(code).toBe('insufficient_balance');
    expect(metadata).toEqual({ ...IN_FLIGHT, required_micro_usd: '750' });
  });

  it('expects every hold to come back', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    // 6,666 tokens cost 999.9 micro-dollars, so 1,000.
    const { detail, metadata } = errorOf(place([6_666, 0], { holdId: OTHER_HOLD }), facts);
    expect(metadata).toEqual({ ...IN_FLIGHT, required_micro_usd: '1000' });
    expect(detail).toBe(
      'the balance is 0.00025 USD, this request may cost 0.001 USD; other requests hold ' +
        '0.00075 USD: try again when they have ended',
    );
  });

  it('does not promise that waiting helps where it never could', () => {
    const facts = [opened, deposited(1_000, 1_000), placed(WORST, 750, 250)];
    const { detail, metadata } = errorOf(place([10_000, 0], { holdId: OTHER_HOLD }), facts);
    expect(metadata).toEqual({ ...TOO_LOW, required_micro_usd: '1500' });
    expect(detail).toBe(
      'the balance is 0.00025 USD, this request may cost 0.0015 USD; deposit or lower max_tokens',
    );
  });
});

describe('folding', () => {
  it('ignores the end and the renewal of a hold that it does not know', () => {
    const state = [opened, deposited(1_000, 1_000)].reduce(
      accountDecider.evolve,
      accountDecider.initialState,
    );
    const ends = [captured(WORST, 750, 0, 0), released(750, 0), expired(750, 0)];
    for (const end of [...ends, renewed(WORST, 750, 0)]) {
      expect(accountDecider.evolve(state, end)).toBe(state);
    }
  });
});
