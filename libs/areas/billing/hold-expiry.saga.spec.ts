import { describe, expect, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import {
  ACCOUNT,
  captured,
  expired,
  EXPIRES_AT,
  HOLD,
  OTHER_HOLD,
  placed,
  released,
  renewed,
  RENEWED_UNTIL,
} from './account.fixture.js';
import { holdExpirySaga } from './hold-expiry.saga.js';

const saga = sagaSpecOf(holdExpirySaga);
const WORST = [1_000, 1_000] as const;
const hold = placed(WORST, 750, 250);

describe('hold expiry', () => {
  it('sets a timer at the deadline of a hold', () => {
    saga
      .given()
      .when(hold)
      .then({
        kind: 'schedule',
        timer: 'expiry',
        dueAt: EXPIRES_AT,
        command: { type: 'ExpireHold', data: { accountId: ACCOUNT, holdId: HOLD } },
      });
    saga.given().when(hold).thenHolds({ open: true });
  });

  it('moves the timer to the deadline of a renewal', () => {
    const longer = renewed([0, 100], 60, 190);
    saga
      .given(hold)
      .when(longer)
      .then({
        kind: 'schedule',
        timer: 'expiry',
        dueAt: RENEWED_UNTIL,
        command: { type: 'ExpireHold', data: { accountId: ACCOUNT, holdId: HOLD } },
      });
    saga.given(hold).when(longer).thenHolds({ open: true });
    saga.given(hold, longer).when(released(810, 1_000)).thenEnds();
  });

  it.each([
    ['captured', captured(WORST, 750, 0, 250)],
    ['released', released(750, 1_000)],
    ['expired', expired(750, 1_000)],
  ])('cancels the timer of a hold that was %s, and forgets it', (_, end) => {
    saga.given(hold).when(end).then({ kind: 'cancel', timer: 'expiry' });
    saga.given(hold).when(end).thenEnds();
  });

  it('is a process of its own for each hold', () => {
    expect(holdExpirySaga.key(hold)).toBe(HOLD);
    expect(holdExpirySaga.key(released(750, 1_000, OTHER_HOLD))).toBe(OTHER_HOLD);
  });
});
