import { createPublicKey, generateKeyPairSync, randomUUID, verify } from 'node:crypto';
import { z } from 'zod';
import {
  jsonAnswer,
  Rejection,
  type ProviderServer,
  startProviderServer,
} from '../provider-server.js';

/** The JSON file of a service account, with the fields that a client reads. */
export interface ServiceAccountKey {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly token_uri: string;
}

export interface TokenEndpoint extends ProviderServer {
  /** The key of the one service account that it knows. */
  readonly account: ServiceAccountKey;
  isValid(token: string): boolean;
  /** Revokes all tokens that it has issued. */
  expireAll(): void;
}

export interface TokenEndpointOptions {
  /** The audience that assertions must name. Default: the endpoint's own address. */
  readonly audience?: string;
  readonly lifetimeS?: number;
  readonly now?: () => number;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFE_S_MAX = 3_600;
/** Clocks may differ by this much. */
const SKEW_S = 300;

const HEADER = z.looseObject({ alg: z.literal('RS256'), typ: z.literal('JWT').optional() });
const CLAIMS = z.looseObject({
  iss: z.string(),
  scope: z.string(),
  aud: z.string(),
  iat: z.int(),
  exp: z.int(),
});

const refuse = (error: string, description: string): never => {
  throw new Rejection(400, { error, error_description: description });
};

/** OAuth's token endpoint (RFC 7523): an access token for the assertion of a service account. */
export const startTokenEndpoint = async (
  options: TokenEndpointOptions = {},
): Promise<TokenEndpoint> => {
  const { lifetimeS = 3_599, now = Date.now } = options;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const email = 'quipu@acme-test.iam.gserviceaccount.com';
  /** The instants at which the tokens expire. */
  const tokens = new Map<string, number>();
  const server = await startProviderServer((request) => {
    if (request.method !== 'POST' || request.path !== '/token') throw new Rejection(404, {});
    const form = new URLSearchParams(request.bytes.toString('utf8'));
    if (form.get('grant_type') !== GRANT) refuse('unsupported_grant_type', 'Invalid grant_type');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    if (!HEADER.safeParse(decoded(header)).success) refuse('invalid_grant', 'Invalid JWT header.');
    const read = CLAIMS.safeParse(decoded(claims));
    if (!read.success) return refuse('invalid_grant', 'Invalid JWT: a claim is missing.');
    const signed = Buffer.from(`${header}.${claims}`);
    const key = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }));
    if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) {
      refuse('invalid_grant', 'Invalid JWT Signature.');
    }
    const { iss, scope, aud, iat, exp } = read.data;
    const nowS = Math.floor(now() / 1_000);
    if (iss !== email) refuse('invalid_grant', 'Invalid grant: account not found');
    if (scope !== SCOPE) refuse('invalid_scope', `${scope} is not a valid audience string.`);
    if (aud !== (options.audience ?? `${server.url}/token`)) refuse('invalid_grant', 'Invalid aud');
    if (iat > nowS + SKEW_S || exp < nowS - SKEW_S || exp - iat > LIFE_S_MAX || exp <= iat) {
      const message = 'Invalid JWT: Token must be a short-lived token (60 minutes).';
      refuse('invalid_grant', message);
    }
    const token = `ya29.${randomUUID()}`;
    tokens.set(token, now() + lifetimeS * 1_000);
    return jsonAnswer({ access_token: token, expires_in: lifetimeS, token_type: 'Bearer' });
  });
  return {
    ...server,
    account: {
      type: 'service_account',
      project_id: 'acme-test',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      client_email: email,
      token_uri: `${server.url}/token`,
    },
    isValid: (token) => now() < (tokens.get(token) ?? 0),
    expireAll: () => {
      tokens.clear();
    },
  };
};

const decoded = (part: string): unknown => {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown;
  } catch {
    return null;
  }
};
