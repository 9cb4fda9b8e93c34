import { ApiKeyIssued, ApiKeyRestricted, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

/** An issued key that was not revoked. Its session may have ended; the reader checks that. */
export interface ListedApiKey {
  readonly keyHash: string;
  readonly keyKind: KeyKind;
  readonly userId: number;
  readonly sealedName: string;
  readonly policy: KeyPolicy;
  readonly sessionId: string | null;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  /** ISO 8601 UTC, or null: as issued. */
  readonly expiresAt: string | null;
  /** ISO 8601 UTC, or null: the end now, which is never later. */
  readonly endsAt: string | null;
  /** Absent for the first key of its line. */
  readonly lineage?: string;
  /** Absent where answers to the key are not kept. */
  readonly cacheSeconds?: number;
  /** Another key replaces it, and it stays valid until it ends. */
  readonly isRotated: boolean;
}

type ApiKeysEvent = ApiKeyIssued | ApiKeyRestricted | ApiKeyRevoked;

/** Sorts after every instant. */
const NEVER = '~';

/** The keys of a user in order of expiry, so that a reader can skip expired keys. */
export const apiKeyKey = (userId: number, expiresAt: string | null = null, keyHash = ''): string =>
  `${apiKeysOf(userId)}${expiresAt ?? NEVER}/${keyHash}`;

export const apiKeysOf = (userId: number): string => `${userId}/`;

const missing: ListedApiKey = {
  keyHash: '',
  keyKind: 'user',
  userId: 0,
  sealedName: '',
  policy: { scopes: [] },
  sessionId: null,
  issuedAt: '',
  expiresAt: null,
  endsAt: null,
  isRotated: false,
};

const project = ({ type, data }: ApiKeysEvent, listed: ListedApiKey): ListedApiKey | null => {
  switch (type) {
    case 'ApiKeyIssued': {
      const { replaces: _, ...key } = data;
      return { ...key, endsAt: key.expiresAt, isRotated: false };
    }
    case 'ApiKeyRestricted': {
      const { policy, endsAt, reason } = data;
      return { ...listed, policy, endsAt, isRotated: listed.isRotated || reason === 'rotated' };
    }
    case 'ApiKeyRevoked':
      return null;
  }
};

/** The keys of each user. */
export const apiKeys: Projection<ApiKeysEvent, ListedApiKey> = {
  name: 'api-keys',
  version: 4,
  on: { ApiKeyIssued, ApiKeyRestricted, ApiKeyRevoked },
  keys: ({ data }) => [apiKeyKey(data.userId, data.expiresAt, data.keyHash)],
  initial: () => missing,
  project,
};
