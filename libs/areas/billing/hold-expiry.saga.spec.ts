import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  captured,
  expired,
  EXPIRES_AT,
  HOLD,
  placed,
  released,
} from './account.specification.js';
import { holdExpirySaga } from './hold-expiry.saga.js';

const { evolve, initialState, key, react } = holdExpirySaga;
const WORST = [1_000, 1_000] as const;
const hold = placed(WORST, 750, 250);
const ends = [
  ['captured', captured(WORST, 750, 0, 250)],
  ['released', released(750, 1_000)],
  ['expired', expired(750, 1_000)],
] as const;

describe('hold expiry', () => {
  it('sets a timer at the deadline of a hold', () => {
    expect(react(hold, initialState)).toEqual([
      {
        kind: 'schedule',
        timer: 'expiry',
        dueAt: EXPIRES_AT,
        command: 'ExpireHold',
        data: { accountId: ACCOUNT, holdId: HOLD },
      },
    ]);
  });

  it.each(ends)('cancels the timer of a hold that was %s, and forgets it', (_, end) => {
    const open = evolve(initialState, hold);
    expect(open).toEqual({ open: true });
    expect(react(end, open ?? initialState)).toEqual([{ kind: 'cancel', timer: 'expiry' }]);
    expect(evolve(open ?? initialState, end)).toBeNull();
  });

  it.each([['placed', hold], ...ends])('is a process of its own for each hold: %s', (_, event) => {
    expect(key(event)).toBe(HOLD);
  });
});
