import { describe, it } from '@jest/globals';
import { HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { PrivacyReleased } from '#events/cleanrooms/cleanroom.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { privacyReservationSaga } from './privacy-reservation.saga.js';
import { ANALYST, AT, idOf, reservation, reserved, ROOM_ID, spent } from './rooms.fixture.js';

const saga = sagaSpecOf(privacyReservationSaga);
const spendId = idOf(2, 1);
const data = { cleanroomId: ROOM_ID, spendId };
const release = { kind: 'command', command: { type: 'ReleasePrivacy', data } } as const;
const hold = {
  ...{ accountId: ANALYST, holdId: spendId, purpose: 'private_query', placedAt: AT },
  ...{ amountMicroUsd: '1', availableMicroUsd: '9' },
};
const holdReleased = HoldReleased.of({ ...hold, reason: 'timed_out', releasedAt: AT });
const holdExpired = HoldExpired.of({ ...hold, expiredAt: AT });
const released = PrivacyReleased.of({
  ...{ cleanroomId: ROOM_ID, spendId, accountId: ANALYST, cost: '1' },
  ...{ reservedAt: AT, releasedAt: AT },
});

describe('a reservation of privacy', () => {
  it('ends by its timer at the latest', () => {
    const dueAt = reservation(1).expiresAt;
    const command = release.command;
    saga.given().when(reserved(1)).then({ kind: 'schedule', timer: 'expiry', dueAt, command });
  });

  it('ends with its hold, once', () => {
    saga.given(reserved(1)).when(holdReleased).then(release);
    saga.given(reserved(1)).when(holdExpired).then(release);
    saga.given(reserved(1), released).when(holdExpired).then();
    saga.given(reserved(1), spent(1)).when(holdReleased).then();
  });

  it('is no matter of other holds', () => {
    saga.given().when(holdReleased).then();
    saga.given().when(holdExpired).then();
  });

  it('keeps the answer of its spend', () => {
    saga
      .given(reserved(1))
      .when(spent(1))
      .then(
        { kind: 'cancel', timer: 'expiry' },
        { kind: 'command', command: { type: 'RetainAnswer', data } },
      );
  });
});
