import { describe, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { accountDecider } from './account.decider.js';
import {
  capture,
  captured,
  deposited,
  ENDED_AT,
  expire,
  expired,
  EXPIRES_AT,
  LABELS,
  linesOf,
  opened,
  OTHER_HOLD,
  place,
  placed,
  PLACED_AT,
  release,
  released,
  settle,
  type Tokens,
  withOrigin,
} from './account.fixture.js';

const account = deciderSpecOf(accountDecider);
/** Worst case 1,000 in and 1,000 out: 750 micro-dollars. */
const WORST = [1_000, 1_000] as const;

const inStep = (step: string, tokens: Tokens): PriceLine[] =>
  linesOf(tokens).map((line) => ({ step, ...line }));

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

  describe('that has labels', () => {
    const origin = { ...LABELS, placedAt: PLACED_AT, mode: 'auto', model: 'acme/llama-70b' };
    const labelled = withOrigin(placed(WORST, 750, 250), origin);
    const given = account.given(opened, deposited(1_000, 1_000), labelled);

    it('repeats them in the charge', () => {
      given.when(capture([900, 100])).then(withOrigin(captured([900, 100], 195, 555, 805), origin));
    });

    it('repeats them where nothing is charged', () => {
      given.when(release()).then(withOrigin(released(750, 1_000), origin));
      given.when(expire(EXPIRES_AT)).then(withOrigin(expired(750, 1_000), origin));
    });
  });

  it('rounds a charge up once, not once a line', () => {
    // 0.15 + 0.6 = 0.75 of a micro-dollar.
    account
      .given(...held)
      .when(capture([1, 1]))
      .then(captured([1, 1], 1, 749, 999));
  });

  it('rejects a charge above the hold', () => {
    account
      .given(...held)
      .when(capture([1_000, 1_001]))
      .thenThrows('capture_above_hold');
  });

  it('rejects a charge for more of one meter, even if it is less in all', () => {
    account
      .given(...held)
      .when(capture([1_001, 0]))
      .thenThrows('capture_above_hold');
  });

  it('rejects a charge that counts a meter twice', () => {
    const { data } = capture(WORST);
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines: [...data.lines, ...data.lines] } })
      .thenThrows('capture_above_hold');
  });

  it('rejects a charge at another price than the price of the hold', () => {
    const { data } = capture([1, 1]);
    const lines = data.lines.map((line) => ({ ...line, unitPriceMicroUsd: '1' }));
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines } })
      .thenThrows('capture_above_hold');
  });

  it('rejects a charge for another purpose than the purpose of the hold', () => {
    const { data } = capture(WORST);
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, purpose: 'loom_rental' } })
      .thenThrows('purpose_mismatch');
  });

  it('charges a tree of work that was held as a whole, step by step', () => {
    const { data } = capture(WORST);
    const lines = [...inStep('fanout/1', [400, 50]), ...inStep('fanout/2', [500, 50])];
    const whole = captured([900, 100], 195, 555, 805);
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines } })
      .then({ ...whole, data: { ...whole.data, lines } });
  });

  it('rejects a tree of work whose steps together are above the hold', () => {
    const { data } = capture(WORST);
    const lines = [...inStep('fanout/1', [600, 0]), ...inStep('fanout/2', [401, 0])];
    account
      .given(...held)
      .when({ type: 'CaptureHold', data: { ...data, lines } })
      .thenThrows('capture_above_hold');
  });

  it('frees the hold of work that came to nothing', () => {
    account
      .given(...held)
      .when(release())
      .then(released(750, 1_000));
  });

  it('settles a hold that is open by freeing it', () => {
    account
      .given(...held)
      .when(settle())
      .then(released(750, 1_000));
  });

  it('has nothing to settle where no hold was placed', () => {
    account.given(opened).when(settle()).thenNothing();
  });

  it('expires a hold at its deadline', () => {
    account
      .given(...held)
      .when(expire(EXPIRES_AT))
      .then(expired(750, 1_000));
  });

  it('rejects to expire a hold before its deadline', () => {
    account
      .given(...held)
      .when(expire(ENDED_AT))
      .thenThrows('hold_not_due');
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
      .thenThrows('hold_not_open');
    account
      .given(...held, end)
      .when(release())
      .thenThrows('hold_not_open');
  });

  it.each(ends)('has nothing to expire or to settle in a hold that was %s', (_, end) => {
    account
      .given(...held, end)
      .when(expire())
      .thenNothing();
    account
      .given(...held, end)
      .when(settle())
      .thenNothing();
  });

  it('says that a hold is not open before it says that the charge is too high', () => {
    account
      .given(opened, deposited(1_000, 1_000))
      .when(capture([10_000, 10_000]))
      .thenThrows('hold_not_open');
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
