import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type OpenIdSettings } from './openid.settings.js';
import { NO_PROVIDER } from './openid.fixture.js';

export const CLIENT_ID = 'quipu';
export const AUDIENCE = 'https://quipu.example.org';
const SECRET = 'the secret of the client, which both sides know';

/** The differences of a token from a valid one, besides its claims. */
export interface TokenTerms {
  readonly key?: 'own' | 'foreign' | 'unknown' | 'shared' | 'none';
  readonly typ?: string;
}

/** An undefined claim is absent. */
export type TokenClaims = Readonly<Record<string, unknown>>;

const json = (value: object): string => base64url.encode(JSON.stringify(value));

/** Makes tokens of the issuer, and tokens that only look like it. */
const openSigner = async () => {
  const own = await generateKeyPair('ES256');
  const foreign = await generateKeyPair('ES256');
  const publicKey = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const sign = async (
    claims: TokenClaims,
    { key = 'own', typ = 'JWT' }: TokenTerms = {},
  ): Promise<string> => {
    if (key === 'none') return `${json({ alg: 'none', typ })}.${json(claims)}.`;
    const kid = key === 'unknown' ? 'two' : 'one';
    const token = new SignJWT(JSON.parse(JSON.stringify(claims)) as JWTPayload);
    if (key === 'shared') {
      const secret = new TextEncoder().encode(SECRET);
      return token.setProtectedHeader({ alg: 'HS256', typ, kid }).sign(secret);
    }
    const { privateKey } = key === 'own' ? own : foreign;
    return token.setProtectedHeader({ alg: 'ES256', typ, kid }).sign(privateKey);
  };
  return { sign, publicKey };
};

const metadataOf = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  userinfo_endpoint: `${url}/userinfo`,
  jwks_uri: `${url}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
});

/**
 * An OpenID provider whose tokens say what a test wants. It does not ask users: the test makes the
 * callback itself. `oidc-provider` is the honest one, in the end-to-end test.
 */
export const openScriptedIssuer = async () => {
  const { sign, publicKey } = await openSigner();
  const requests = { metadata: 0, keys: 0, token: 0, userinfo: 0 };
  const script = { idToken: '', userinfo: {}, isAway: false, isSilent: false };
  const token = { access_token: 'opaque', token_type: 'Bearer', expires_in: 60 };
  const answers: Readonly<Record<string, readonly [keyof typeof requests, () => object]>> = {
    '/.well-known/openid-configuration': ['metadata', () => metadataOf(url)],
    '/keys': ['keys', () => ({ keys: [publicKey] })],
    '/token': ['token', () => ({ ...token, id_token: script.idToken })],
    '/userinfo': ['userinfo', () => script.userinfo],
  };
  const server = createServer((request, response) => {
    if (script.isSilent) return;
    const answer = answers[request.url ?? ''];
    if (script.isAway || !answer) {
      response.destroy();
      return;
    }
    const [name, body] = answer;
    requests[name] += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings: OpenIdSettings = {
    ...NO_PROVIDER,
    issuer: url,
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    audience: AUDIENCE,
  };
  return {
    url,
    requests,
    script,
    settings,
    sign,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
};

export type ScriptedIssuer = Awaited<ReturnType<typeof openScriptedIssuer>>;
