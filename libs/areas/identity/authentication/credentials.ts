import { createHmac, hash, randomBytes } from 'node:crypto';

/** Every secret that the gateway hands out says by its prefix what it is. */
export const CREDENTIAL_PREFIXES = {
  /** The secret key of a user. */
  user: 'sk-svc-',
  /** The key of a user as a renter: chat and jobs, nothing else. */
  renter: 'svc_api_',
  /** An app's bearer token: a JWT behind the prefix. */
  app: 'svc_app_',
  /** The token of a two-factor challenge; it never authenticates anything else. */
  challenge: 'svc_2fa_',
} as const;

/** No credential of ours is longer; anything above is not looked at. */
export const CREDENTIAL_LENGTH_MAX = 1_024;

const SECRET_BYTES = 32;

/** 256 random bits behind the prefix. */
export const mintSecret = (kind: 'user' | 'renter' | 'challenge'): string =>
  CREDENTIAL_PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');

/**
 * 256 bits that are the same for every attempt at one request, and unknown without the key
 * (HMAC-SHA-256). So a request that is attempted again after its process was lost issues one
 * secret.
 *
 * @param key 32 bytes
 */
export const deriveSecret = (
  kind: 'user' | 'renter',
  key: Uint8Array,
  requestId: string,
): string => {
  const bits = createHmac('sha256', key).update(`${kind}\n${requestId}`).digest('base64url');
  return CREDENTIAL_PREFIXES[kind] + bits;
};

/**
 * SHA-256 in hex: all that is kept of a secret. A fast hash is enough for 256 random bits, and a
 * look-up by hash tells an attacker nothing through its time.
 */
export const fingerprint = (secret: string): string => hash('sha256', secret);
