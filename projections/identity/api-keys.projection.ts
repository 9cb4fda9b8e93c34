import { ApiKeyIssued, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type Projection } from '#platform/kernel/projection.js';

/** An issued key that was not revoked. Its session may have ended; the reader checks that. */
export interface ListedApiKey {
  readonly keyHash: string;
  readonly keyKind: KeyKind;
  readonly userId: number;
  readonly sealedName: string;
  readonly sessionId: string | null;
  /** ISO 8601 UTC. */
  readonly issuedAt: string;
  /** ISO 8601 UTC, or null. */
  readonly expiresAt: string | null;
  /** Absent for the first key of its line. */
  readonly lineage?: string;
  /** Absent where answers to the key are not kept. */
  readonly cacheSeconds?: number;
}

type ApiKeysEvent = ApiKeyIssued | ApiKeyRevoked;

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
  sessionId: null,
  issuedAt: '',
  expiresAt: null,
};

const project = ({ type, data }: ApiKeysEvent): ListedApiKey | null => {
  switch (type) {
    case 'ApiKeyIssued': {
      const { replaces: _, ...key } = data;
      return key;
    }
    case 'ApiKeyRevoked':
      return null;
  }
};

/** The keys of each user. */
export const apiKeys: Projection<ApiKeysEvent, ListedApiKey> = {
  name: 'api-keys',
  version: 2,
  on: { ApiKeyIssued, ApiKeyRevoked },
  keys: ({ data }) => [apiKeyKey(data.userId, data.expiresAt, data.keyHash)],
  initial: () => missing,
  project,
};
