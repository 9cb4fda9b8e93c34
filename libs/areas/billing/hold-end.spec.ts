import { describe, expect, it } from '@jest/globals';
import { type AccountEvent } from '#events/billing/account.events.js';
import {
  captured,
  deposited,
  ENDED_AT,
  expired,
  HOLD,
  opened,
  OTHER_HOLD,
  placed,
  PLACED_AT,
  released,
  renewed,
} from './account.fixture.js';
import { CLOCK_SKEW_MS_MAX, holdEndIn } from './hold-end.js';

const WORST = [1_000, 1_000] as const;
const left = { holdId: HOLD, notBefore: PLACED_AT };

const endIn = (...newestFirst: readonly AccountEvent[]) =>
  holdEndIn(
    left,
    newestFirst.map((event) => ({ event, recordedAt: ENDED_AT })),
  );

describe('what became of a hold', () => {
  const hold = placed(WORST, 750, 250);

  it.each<[string, AccountEvent, string]>([
    ['charged', captured(WORST, 750, 0, 250), 'charged'],
    ['freed', released(750, 1_000), 'free'],
    ['expired', expired(750, 1_000), 'free'],
    ['placed', hold, 'open'],
    ['renewed', renewed([0, 100], 60, 190), 'open'],
  ])('is said by its last event: %s', (_, last, end) => {
    expect(endIn(last, hold, opened)).toBe(end);
  });

  it('is not said by events of other holds, nor by events of no hold', () => {
    const others = [captured(WORST, 750, 0, 250, OTHER_HOLD), placed(WORST, 750, 250, OTHER_HOLD)];
    expect(endIn(...others, deposited(1_000, 1_000), opened)).toBeUndefined();
    expect(endIn(...others, captured(WORST, 750, 0, 250), hold)).toBe('charged');
    expect(endIn()).toBeUndefined();
  });

  it('is free where the past begins in which it can be', () => {
    const recorded = (event: AccountEvent, beforeMs: number) => ({
      event,
      recordedAt: new Date(Date.parse(PLACED_AT) - beforeMs).toISOString(),
    });
    const charge = captured(WORST, 750, 0, 250);
    expect(holdEndIn(left, [recorded(charge, CLOCK_SKEW_MS_MAX)])).toBe('charged');
    expect(holdEndIn(left, [recorded(charge, CLOCK_SKEW_MS_MAX + 1)])).toBe('free');
  });
});
