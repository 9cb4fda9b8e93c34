import { describe, expect, it } from '@jest/globals';
import { ApiKeyIssued, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { UserId } from '#events/vocabulary.js';
import { apiKeyKey, apiKeys, apiKeysOf } from './api-keys.projection.js';

const AT = '2026-11-21T04:48:00.000Z';
const END = '2026-12-21T04:48:00.000Z';
const HASH = 'a'.repeat(64);
const SEALED = 'A'.repeat(48);
const userId = UserId.parse(1);

describe('API keys', () => {
  const issued = (expiresAt: string | null) =>
    ApiKeyIssued.of({
      keyHash: HASH,
      keyKind: 'user',
      userId,
      sealedName: SEALED,
      policy: { scopes: ['inference'] },
      sessionId: null,
      issuedAt: AT,
      expiresAt,
      replaces: null,
    });
  const revoked = ApiKeyRevoked.of({
    keyHash: HASH,
    userId,
    reason: 'revoked',
    revokedAt: AT,
    expiresAt: END,
  });

  it('are kept until they are revoked, under the same key', () => {
    const [key = ''] = apiKeys.keys(issued(END));
    expect(apiKeys.keys(revoked)).toEqual([key]);
    expect(apiKeys.project(issued(END), apiKeys.initial(key), key)).toMatchObject({
      keyHash: HASH,
      expiresAt: END,
    });
    expect(apiKeys.project(revoked, apiKeys.initial(key), key)).toBeNull();
  });

  it('lie in the order in which they end, endless ones last, each user apart', () => {
    const [ending = ''] = apiKeys.keys(issued(END));
    const [lasting = ''] = apiKeys.keys(issued(null));
    expect([lasting, ending].sort()).toEqual([ending, lasting]);
    expect(apiKeyKey(userId, AT) < ending).toBe(true);
    expect(apiKeyKey(11, AT).startsWith(apiKeysOf(1))).toBe(false);
  });
});
