import { ApiKeyIssued, ApiKeyRestricted, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type Membership } from '#events/teams/team.vocabulary.js';
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
  /** Absent for a key of the user's own account. */
  readonly membership?: Membership;
  /** Another key replaces it, and it stays valid until it ends. */
  readonly isRotated: boolean;
}

type ApiKeysEvent = ApiKeyIssued | ApiKeyRestricted | ApiKeyRevoked;

/** Sorts after every instant. */
const NEVER = '~';

/** The account that a key acts for: of its user, whose id is the same, or of a team. */
export type KeyOwner = number | string;

/** The keys of an owner in order of expiry, so that a reader can skip expired keys. */
export const apiKeyKey = (owner: KeyOwner, expiresAt: string | null = null, keyHash = ''): string =>
  `${apiKeysOf(owner)}${expiresAt ?? NEVER}/${keyHash}`;

export const apiKeysOf = (owner: KeyOwner): string => `${owner}/`;

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

/** The keys of each user, and of each team. */
export const apiKeys: Projection<ApiKeysEvent, ListedApiKey> = {
  name: 'api-keys',
  version: 5,
  on: { ApiKeyIssued, ApiKeyRestricted, ApiKeyRevoked },
  keys: ({ data: { membership, userId, expiresAt, keyHash } }) => [
    apiKeyKey(membership?.teamId ?? userId, expiresAt, keyHash),
  ],
  initial: () => missing,
  project,
};
