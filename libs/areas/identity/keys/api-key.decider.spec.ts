import { describe, expect, it } from '@jest/globals';
import { ApiKeyIssued, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { apiKeyDecider } from './api-key.decider.js';

const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:53:00.000Z';
const HASH = 'a'.repeat(64);
const SEALED = 'A'.repeat(48);
const userId = UserId.parse(1);
const POLICY: KeyPolicy = { scopes: ['inference', 'read_billing'] };

describe('an API key', () => {
  const key = deciderSpecOf(apiKeyDecider);
  const issue = {
    keyHash: HASH,
    keyKind: 'user',
    userId,
    sealedName: SEALED,
    policy: POLICY,
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
    key.given(issued).when({ type: 'IssueApiKey', data: issue }).thenThrows('api_key_exists');
    const again = key.given(issued, revoked).when({ type: 'IssueApiKey', data: issue });
    again.thenThrows('api_key_exists');
  });

  it('is revoked by its user; a second revocation does nothing', () => {
    key.given(issued).when({ type: 'RevokeApiKey', data: revocation }).then(revoked);
    key.given(issued, revoked).when({ type: 'RevokeApiKey', data: revocation }).thenNothing();
  });

  it('is rotated once', () => {
    const rotated = ApiKeyRevoked.of({ ...rotation, expiresAt: UNTIL });
    key.given(issued).when({ type: 'RevokeApiKey', data: rotation }).then(rotated);
    const again = key.given(issued, rotated).when({ type: 'RevokeApiKey', data: rotation });
    again.thenThrows('api_key_not_found');
  });

  it('is not found for another user, nor before it was issued', () => {
    const theirs = { ...revocation, userId: UserId.parse(2) };
    const other = key.given(issued).when({ type: 'RevokeApiKey', data: theirs });
    other.thenThrows('api_key_not_found');
    const early = key.given().when({ type: 'RevokeApiKey', data: revocation });
    early.thenThrows('api_key_not_found');
  });

  it('is not created by a stray revocation', () => {
    expect(apiKeyDecider.evolve({ status: 'absent' }, revoked)).toEqual({ status: 'absent' });
  });
});
