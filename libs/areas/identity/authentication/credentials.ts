import { createHmac, hash, randomBytes } from 'node:crypto';

import { INVITATION_PREFIX } from '#events/teams/team.vocabulary.js';

/** The prefix of a secret names its kind. */
export const CREDENTIAL_PREFIXES = {
  /** The secret key of a user. */
  user: 'sk-svc-',
  /** The key of a user as a renter: chat and jobs only. */
  renter: 'svc_api_',
  /** The bearer token of an app: the prefix and a JWT. */
  app: 'svc_app_',
  /** The cookie of a console session: the prefix and a JWT. */
  console: 'svc_con_',
  /** The token of a two-factor challenge; it authenticates no other request. */
  challenge: 'svc_2fa_',
  /** The token of a password reset: the prefix, the id of the user and a secret. */
  reset: 'svc_rst_',
  /** The token of an invitation to a team, which the area of teams makes. */
  invitation: INVITATION_PREFIX,
} as const;

/** A text in the form of a credential, also with its prefix escaped as in a URL. */
const CREDENTIALS = new RegExp(
  `(${Object.values(CREDENTIAL_PREFIXES)
    .map((prefix) => prefix.replaceAll('-', '(?:-|%2d)').replaceAll('_', '(?:_|%5f)'))
    .join('|')})[\\w.%-]+`,
  'gi',
);

/** The letters in every prefix: nearly every line lacks them, and is searched for them only. */
const IN_EVERY_PREFIX = /svc/i;

/** The text with each credential cut behind its prefix, for a log line. */
export const withoutCredentials = (text: string): string =>
  IN_EVERY_PREFIX.test(text) ? text.replace(CREDENTIALS, '$1***') : text;

/** Longer credentials are rejected unread. */
export const CREDENTIAL_LENGTH_MAX = 1_024;

const SECRET_BYTES = 32;

/** The prefix and 256 random bits. */
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

/** A key's id is the start of its hash: short enough to display, unique among a user's keys. */
const KEY_ID_LENGTH = 16;

export const keyIdOf = (keyHash: string): string => keyHash.slice(0, KEY_ID_LENGTH);

/**
 * SHA-256 in hex; only this hash of a secret is stored. A fast hash is enough for 256 random bits,
 * and a look-up by hash leaks nothing through its timing.
 */
export const fingerprint = (secret: string): string => hash('sha256', secret);
