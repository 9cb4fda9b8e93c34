import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type OpenIdSettings } from './openid.settings.js';
import { NO_PROVIDER } from './openid.fixture.js';

export const CLIENT_ID = 'quipu';
export const AUDIENCE = 'https://quipu.example.org';
const SECRET = 'the secret of the client, which both sides know';

/** What a token differs in from a valid one. */
export interface TokenTerms {
  readonly key?: 'own' | 'foreign' | 'unknown' | 'shared' | 'none';
  readonly typ?: string;
}

const json = (value: object): string => base64url.encode(JSON.stringify(value));

/**
 * An OpenID provider whose tokens say what a test wants. It does not ask users: the test makes the
 * callback itself. `oidc-provider` is the honest one, in the end-to-end test.
 */
export const openScriptedIssuer = async () => {
  const own = await generateKeyPair('ES256');
  const foreign = await generateKeyPair('ES256');
  const requests = { metadata: 0, keys: 0, token: 0, userinfo: 0 };
  const script = { idToken: '', userinfo: {}, isAway: false };
  const server = createServer((request, response) => {
    const answer = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (script.isAway) return void response.destroy();
    const reply = async (): Promise<void> => {
      switch (request.url) {
        case '/.well-known/openid-configuration':
          requests.metadata += 1;
          return answer({
            issuer: url,
            authorization_endpoint: `${url}/authorize`,
            token_endpoint: `${url}/token`,
            userinfo_endpoint: `${url}/userinfo`,
            jwks_uri: `${url}/keys`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
          });
        case '/keys': {
          requests.keys += 1;
          const key = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
          return answer({ keys: [key] });
        }
        case '/token':
          requests.token += 1;
          return answer({
            access_token: 'opaque',
            token_type: 'Bearer',
            expires_in: 60,
            id_token: script.idToken,
          });
        case '/userinfo':
          requests.userinfo += 1;
          return answer(script.userinfo);
        default:
          return answer({ error: 'not_found' }, 404);
      }
    };
    void reply();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sign = (claims: JWTPayload, { key = 'own', typ = 'JWT' }: TokenTerms = {}) => {
    const unsigned = `${json({ alg: 'none', typ })}.${json(claims)}.`;
    switch (key) {
      case 'none':
        return Promise.resolve(unsigned);
      case 'shared': {
        const header = { alg: 'HS256', typ, kid: 'one' };
        const secret = new TextEncoder().encode(SECRET);
        return new SignJWT(claims).setProtectedHeader(header).sign(secret);
      }
      case 'own':
      case 'foreign':
      case 'unknown': {
        const kid = key === 'unknown' ? 'two' : 'one';
        const { privateKey } = key === 'own' ? own : foreign;
        return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(privateKey);
      }
    }
  };

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
