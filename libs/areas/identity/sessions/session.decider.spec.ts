import { describe, it } from '@jest/globals';
import {
  SessionConfirmed,
  SessionRevoked,
  SessionStarted,
} from '#events/identity/session.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { sessionDecider } from './session.decider.js';

const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:53:00.000Z';
const SESSION = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const HASH = 'a'.repeat(64);
const userId = UserId.parse(1);

describe('a session', () => {
  const session = deciderSpecOf(sessionDecider);
  const start = {
    sessionId: SESSION,
    userId,
    keyHash: HASH,
    sealedAppName: null,
    sealedDeviceInfo: null,
    scopes: ['inference'],
    secondFactor: 'none',
    startedAt: AT,
    expiresAt: UNTIL,
  } satisfies SessionStarted['data'];
  const started = SessionStarted.of(start);
  const revocation = { sessionId: SESSION, userId, revokedAt: AT };
  const revoked = SessionRevoked.of({ ...revocation, expiresAt: UNTIL });

  it('starts once', () => {
    session.given().when({ type: 'StartSession', data: start }).then(started);
    session.given(started).when({ type: 'StartSession', data: start }).thenNothing();
    session.given(started, revoked).when({ type: 'StartSession', data: start }).thenNothing();
  });

  it('is revoked once, by its user', () => {
    session.given(started).when({ type: 'RevokeSession', data: revocation }).then(revoked);
    session.given(started, revoked).when({ type: 'RevokeSession', data: revocation }).thenNothing();
    const theirs = { ...revocation, userId: UserId.parse(2) };
    const other = session.given(started).when({ type: 'RevokeSession', data: theirs });
    other.thenThrows('session_not_found');
    const early = session.given().when({ type: 'RevokeSession', data: revocation });
    early.thenThrows('session_not_found');
  });

  it('is confirmed by its user while it lasts', () => {
    const data = { sessionId: SESSION, userId, secondFactor: 'none', confirmedAt: AT } as const;
    const confirm = { type: 'ConfirmSession', data } as const;
    session.given(started).when(confirm).then(SessionConfirmed.of(data));
    session.given(started, revoked).when(confirm).thenThrows('session_not_found');
    const theirs = { ...confirm, data: { ...data, userId: UserId.parse(2) } };
    session.given(started).when(theirs).thenThrows('session_not_found');
  });
});
