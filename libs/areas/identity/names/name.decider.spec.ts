import { describe, it } from '@jest/globals';
import {
  NameAssigned,
  type NameKind,
  NameReleased,
  NameReserved,
} from '#events/identity/name.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { nameDecider } from './name.decider.js';

const name = deciderSpecOf(nameDecider);

const MINE = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const THEIRS = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f02';
const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:49:00.000Z';
const AFTER = '2026-11-21T04:49:00.001Z';
const nameHash = '1'.repeat(64);

const reservation = (registrationId = MINE, reservedAt = AT, kind: NameKind = 'username') => ({
  kind,
  nameHash,
  registrationId,
  reservedAt,
  reservedUntil: reservedAt === AT ? UNTIL : '2026-11-21T04:50:00.001Z',
});
const assignment = (registrationId = MINE, kind: NameKind = 'username') => ({
  kind,
  nameHash,
  registrationId,
  userId: UserId.parse(1),
  assignedAt: AT,
});
const release = (registrationId = MINE) => ({
  kind: 'username' as const,
  nameHash,
  registrationId,
  releasedAt: AT,
});
const reserved = NameReserved.of(reservation());
const assigned = NameAssigned.of(assignment());
const released = NameReleased.of(release());

describe('a name', () => {
  it('is reserved while it is free, once for one registration', () => {
    name.given().when({ type: 'ReserveName', data: reservation() }).then(reserved);
    name.given(reserved).when({ type: 'ReserveName', data: reservation() }).thenNothing();
    name.given(reserved, assigned).when({ type: 'ReserveName', data: reservation() }).thenNothing();
    name
      .given(reserved, released)
      .when({ type: 'ReserveName', data: reservation() })
      .then(reserved);
  });

  it.each([
    ['username', 'username_taken'],
    ['email', 'email_taken'],
  ] as const)('is rejected for another registration as %s with %s', (kind, code) => {
    const data = reservation(THEIRS, UNTIL, kind);
    name.given(reserved).when({ type: 'ReserveName', data }).thenThrows(code);
    name.given(reserved, assigned).when({ type: 'ReserveName', data }).thenThrows(code);
  });

  it('can be reserved by another registration after the reservation expires', () => {
    const data = reservation(THEIRS, AFTER);
    name.given(reserved).when({ type: 'ReserveName', data }).then(NameReserved.of(data));
    name.given(reserved, assigned).when({ type: 'ReserveName', data }).thenThrows('username_taken');
  });

  it('is assigned to the registration that holds it, once', () => {
    name.given(reserved).when({ type: 'AssignName', data: assignment() }).then(assigned);
    name.given(reserved, assigned).when({ type: 'AssignName', data: assignment() }).thenNothing();
    const data = assignment(THEIRS);
    name.given(reserved).when({ type: 'AssignName', data }).thenThrows('username_taken');
    name
      .given()
      .when({ type: 'AssignName', data: assignment(MINE, 'email') })
      .thenThrows('email_taken');
  });

  it('is released by the registration that holds it and by no other', () => {
    name.given(reserved).when({ type: 'ReleaseName', data: release() }).then(released);
    name.given(reserved, assigned).when({ type: 'ReleaseName', data: release() }).then(released);
    name
      .given(reserved)
      .when({ type: 'ReleaseName', data: release(THEIRS) })
      .thenNothing();
    name.given().when({ type: 'ReleaseName', data: release() }).thenNothing();
  });
});
