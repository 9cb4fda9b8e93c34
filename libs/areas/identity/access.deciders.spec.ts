import { describe, expect, it } from '@jest/globals';
import { ApiKeyIssued, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import {
  ChallengeAnswered,
  ChallengeFailed,
  ChallengeIssued,
} from '#events/identity/challenge.events.js';
import { SessionRevoked, SessionStarted } from '#events/identity/session.events.js';
import { TenantDefined } from '#events/identity/tenant.events.js';
import { specificationOf } from '#platform/kernel/decider.specification.js';
import { apiKeyDecider } from './keys/api-key.decider.js';
import { challengeDecider } from './two-factor/challenge.decider.js';
import { sessionDecider } from './sessions/session.decider.js';
import { tenantDecider } from './tenants/tenant.decider.js';

const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:53:00.000Z';
const SESSION = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const HASH = 'a'.repeat(64);
const SEALED = 'A'.repeat(48);
const userId = 1;

describe('an API key', () => {
  const key = specificationOf(apiKeyDecider);
  const issue = {
    keyHash: HASH,
    keyKind: 'user',
    userId,
    sealedName: SEALED,
    sessionId: null,
    issuedAt: AT,
    expiresAt: UNTIL,
    replaces: null,
  } as const;
  const issued = ApiKeyIssued.of(issue);
  const revocation = { keyHash: HASH, userId, reason: 'revoked', revokedAt: AT } as const;
  const revoked = ApiKeyRevoked.of({ ...revocation, expiresAt: UNTIL });
  const rotation = { ...revocation, reason: 'rotated' } as const;

  it('is issued once', () => {
    key.given().when({ type: 'IssueApiKey', data: issue }).then(issued);
    key.given(issued).when({ type: 'IssueApiKey', data: issue }).thenRefused('api_key_exists');
    const again = key.given(issued, revoked).when({ type: 'IssueApiKey', data: issue });
    again.thenRefused('api_key_exists');
  });

  it('is revoked by its user, and twice is nothing new', () => {
    key.given(issued).when({ type: 'RevokeApiKey', data: revocation }).then(revoked);
    key.given(issued, revoked).when({ type: 'RevokeApiKey', data: revocation }).thenNothing();
  });

  it('is rotated once', () => {
    const rotated = ApiKeyRevoked.of({ ...rotation, expiresAt: UNTIL });
    key.given(issued).when({ type: 'RevokeApiKey', data: rotation }).then(rotated);
    const again = key.given(issued, rotated).when({ type: 'RevokeApiKey', data: rotation });
    again.thenRefused('api_key_not_found');
  });

  it('is not there for another user, nor before it was issued', () => {
    const theirs = { ...revocation, userId: 2 };
    const other = key.given(issued).when({ type: 'RevokeApiKey', data: theirs });
    other.thenRefused('api_key_not_found');
    const early = key.given().when({ type: 'RevokeApiKey', data: revocation });
    early.thenRefused('api_key_not_found');
  });

  it('is not brought into being by a stray revocation', () => {
    expect(apiKeyDecider.evolve({ status: 'absent' }, revoked)).toEqual({ status: 'absent' });
  });
});

describe('a session', () => {
  const session = specificationOf(sessionDecider);
  const start = {
    sessionId: SESSION,
    userId,
    keyHash: HASH,
    sealedAppName: null,
    sealedDeviceInfo: null,
    secondFactor: 'none',
    startedAt: AT,
    expiresAt: UNTIL,
  } as const;
  const started = SessionStarted.of(start);
  const revocation = { sessionId: SESSION, userId, revokedAt: AT };
  const revoked = SessionRevoked.of(revocation);

  it('starts once', () => {
    session.given().when({ type: 'StartSession', data: start }).then(started);
    session.given(started).when({ type: 'StartSession', data: start }).thenNothing();
    session.given(started, revoked).when({ type: 'StartSession', data: start }).thenNothing();
  });

  it('is revoked once, by its user', () => {
    session.given(started).when({ type: 'RevokeSession', data: revocation }).then(revoked);
    session.given(started, revoked).when({ type: 'RevokeSession', data: revocation }).thenNothing();
    const theirs = { ...revocation, userId: 2 };
    const other = session.given(started).when({ type: 'RevokeSession', data: theirs });
    other.thenRefused('session_not_found');
    const early = session.given().when({ type: 'RevokeSession', data: revocation });
    early.thenRefused('session_not_found');
  });
});

describe('a challenge', () => {
  const challenge = specificationOf(challengeDecider);
  const issue = {
    challengeHash: HASH,
    userId,
    sealedAppName: null,
    sealedDeviceInfo: null,
    issuedAt: AT,
    expiresAt: UNTIL,
  };
  const issued = ChallengeIssued.of(issue);
  const failure = (attemptsLeft: number) =>
    ChallengeFailed.of({ challengeHash: HASH, userId, attemptsLeft, failedAt: AT });
  const answered = ChallengeAnswered.of({ challengeHash: HASH, userId, answeredAt: AT });
  const answer = (answeredAt = AT) =>
    ({ type: 'AnswerChallenge', data: { challengeHash: HASH, answeredAt } }) as const;
  const fail = (failedAt = AT) =>
    ({ type: 'FailChallenge', data: { challengeHash: HASH, failedAt } }) as const;

  it('is issued once', () => {
    challenge.given().when({ type: 'IssueChallenge', data: issue }).then(issued);
    challenge.given(issued).when({ type: 'IssueChallenge', data: issue }).thenNothing();
  });

  it('is answered once', () => {
    challenge.given(issued).when(answer()).then(answered);
    challenge.given(issued, answered).when(answer()).thenRefused('invalid_challenge');
    challenge.given(issued, answered).when(fail()).thenRefused('invalid_challenge');
    challenge.given().when(answer()).thenRefused('invalid_challenge');
  });

  it('is not answered from the instant on at which it expires', () => {
    challenge.given(issued).when(answer(UNTIL)).thenRefused('invalid_challenge');
    challenge.given(issued).when(fail(UNTIL)).thenRefused('invalid_challenge');
  });

  it('takes five wrong answers', () => {
    challenge.given(issued).when(fail()).then(failure(4));
    challenge.given(issued, failure(4), failure(3), failure(2)).when(fail()).then(failure(1));
    challenge.given(issued, failure(1)).when(fail()).then(failure(0));
    challenge.given(issued, failure(1)).when(answer()).then(answered);
    challenge.given(issued, failure(0)).when(answer()).thenRefused('invalid_challenge');
    challenge.given(issued, failure(0)).when(fail()).thenRefused('invalid_challenge');
  });
});

describe('a tenant', () => {
  const tenant = specificationOf(tenantDecider);
  const definition = {
    slug: 'quipu',
    name: 'Quipu',
    primaryColor: '#7a3e1d',
    baseUrl: 'http://127.0.0.1:8080',
    definedAt: AT,
  };
  const defined = TenantDefined.of(definition);

  it('is defined when something is new', () => {
    tenant.given().when({ type: 'DefineTenant', data: definition }).then(defined);
    const later = { ...definition, definedAt: UNTIL };
    tenant.given(defined).when({ type: 'DefineTenant', data: later }).thenNothing();
    const renamed = { ...later, name: 'Khipu' };
    const renaming = tenant.given(defined).when({ type: 'DefineTenant', data: renamed });
    renaming.then(TenantDefined.of(renamed));
  });
});
