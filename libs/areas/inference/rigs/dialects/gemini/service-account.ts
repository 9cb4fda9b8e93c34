import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type Clock, systemClock } from '#platform/kernel/clock.js';
import { RigError } from '../../chat-backend.js';
import { parseObject } from '../../parsed-object.js';
import { AccessTokens } from '../access-tokens.js';
import { secretIn, type SecretValue } from '../credentials.js';
import { type Credential } from '../dialect.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The longest that Google allows. */
const ASSERTION_S = 3_600;
const TOKEN_URL = 'https://oauth2.googleapis.com/token';

interface ServiceAccount {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly key: KeyObject;
  readonly tokenUrl: string;
}

/**
 * The access tokens of a service account of Google Cloud, for an assertion that its key signs (RFC
 * 7523).
 * @param secret the JSON of the account's key, as Google Cloud gives it out
 */
export const serviceAccount = (
  rig: string,
  secret: SecretValue,
  clock: Clock = systemClock,
): Credential => {
  let tokens: Promise<AccessTokens> | null = null;
  const open = async (): Promise<AccessTokens> => {
    const account = accountOf(rig, await secretIn(rig, secret));
    const form = () => ({ grant_type: GRANT, assertion: assertionOf(account, clock.now()) });
    return new AccessTokens(rig, { name: 'Google', url: account.tokenUrl, form }, clock);
  };
  return {
    headersFor: async () => {
      tokens ??= open();
      tokens.catch(() => (tokens = null));
      return (await tokens).headersFor();
    },
    // The file of the key may be another one by now.
    rejected: () => {
      tokens = null;
    },
  };
};

/** @throws RigError `failed`, whose message names the rig and nothing of the key */
const accountOf = (rig: string, json: string): ServiceAccount => {
  const read = parseObject(json) ?? {};
  const { type, client_email: email, private_key: pem, private_key_id: id, token_uri: uri } = read;
  if (type !== 'service_account' || typeof email !== 'string' || typeof pem !== 'string') {
    throw new RigError('failed', `the key of rig ${rig} is not that of a service account`);
  }
  try {
    return {
      email,
      key: createPrivateKey(pem),
      keyId: typeof id === 'string' ? id : undefined,
      tokenUrl: typeof uri === 'string' && URL.canParse(uri) ? uri : TOKEN_URL,
    };
  } catch (cause) {
    throw new RigError('failed', `the private key of rig ${rig} cannot be read`, { cause });
  }
};

const assertionOf = ({ email, key, keyId, tokenUrl }: ServiceAccount, nowMs: number): string => {
  const iat = Math.floor(nowMs / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUrl, iat, exp: iat + ASSERTION_S };
  const text = [header, claims].map(encoded).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`;
};

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
