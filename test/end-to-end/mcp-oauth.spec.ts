import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuthInfo,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import request from 'supertest';
import {
  type Gate,
  type McpServerFixture,
  startMcpServer,
} from '#areas/agents/mcp/mcp-server.fixture.js';
import { MACHINE, openProvider, type RunningProvider } from './openid-provider.fixture.js';
import { answering, scriptedCatalog, startWorld, type World } from './quipu.harness.js';

const SERVERS = '/api/v1/mcp/servers';

describe('an MCP server that demands OAuth', () => {
  let world: World;
  let provider: RunningProvider;
  let server: McpServerFixture;
  /** The tokens that the server has accepted, in the order of requests. */
  let tokens: AuthInfo[] = [];
  let isRevoked: (info: AuthInfo) => boolean = () => false;

  /** Discovery by the metadata of the protected resource, and a bearer token for this resource. */
  const gateOf = async (): Promise<Gate> => {
    const oauthMetadata = (await (
      await fetch(`${provider.url}/.well-known/openid-configuration`)
    ).json()) as Parameters<typeof oauthMetadataResponse>[1]['oauthMetadata'];
    const keys = createRemoteJWKSet(new URL(`${provider.url}/jwks`));
    const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
      const { payload } = await jwtVerify(token, keys, { issuer: provider.url }).catch(() => {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'not a token of the provider');
      });
      const { client_id: clientId, aud, exp = 0 } = payload;
      const resource = new URL(String(aud));
      const info = { token, clientId: String(clientId), scopes: [], expiresAt: exp, resource };
      if (isRevoked(info)) throw new OAuthError(OAuthErrorCode.InvalidToken, 'revoked');
      tokens.push(info);
      return info;
    };
    return async (asked) => {
      const resourceServerUrl = new URL(server.url);
      const metadata = oauthMetadataResponse(asked, {
        oauthMetadata,
        resourceServerUrl,
        dangerouslyAllowInsecureIssuerUrl: true,
      });
      if (metadata) return metadata;
      const admit = requireBearerAuth({
        verifier: { verifyAccessToken },
        resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
        expectedResource: resourceServerUrl,
      });
      const admitted = await admit(asked);
      return admitted instanceof Response ? admitted : undefined;
    };
  };

  beforeAll(async () => {
    provider = await openProvider();
    world = await startWorld([answering('ok')], {
      catalogOf: (url) =>
        `${scriptedCatalog(url)}\nmeters:\n  - { meter: mcp_calls, usd: 0.00025, per: 1 }\n`,
      environment: { QUIPU_AGENT_MCP_PRIVATE: 'allow', QUIPU_AGENT_MCP_TIMEOUT_SECONDS: '10' },
    });
  });

  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  beforeEach(async () => {
    tokens = [];
    isRevoked = () => false;
    server = await startMcpServer(await gateOf());
  });

  afterEach(async () => {
    await send('delete', `${SERVERS}/docs`);
    await server.close();
  });

  const send = (method: 'post' | 'delete', path: string, body?: object) =>
    request(world.quipu.url)
      [method](path)
      .set({
        authorization: `Bearer ${world.credentials.api_key}`,
        accept: 'application/json, text/event-stream',
      })
      .send(body);

  const register = (more: object = {}) => {
    const oauth = { issuer: provider.url, ...MACHINE, ...more };
    return send('post', SERVERS, { name: 'docs', url: server.url, oauth });
  };

  const shout = async () => {
    await send('post', `${SERVERS}/docs/tools/shout_loud/allow`).expect(200);
    const params = { name: 'docs__shout_loud', arguments: { text: 'knots' } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return (await send('post', '/api/v1/mcp', call)).body as { readonly result: object };
  };

  it('is found by its metadata, and has a token for it alone from its provider', async () => {
    const registered = await register();
    expect([registered.status, registered.body]).toMatchObject([
      201,
      { server: { has_credentials: true, tools: [{ name: 'shout_loud' }, {}, {}] } },
    ]);
    expect(await shout()).toMatchObject({ result: { structuredContent: { text: 'KNOTS' } } });
    expect(new Set(tokens.map(({ clientId }) => clientId))).toEqual(new Set([MACHINE.client_id]));
    expect(new Set(tokens.map(({ resource }) => resource?.href))).toEqual(new Set([server.url]));
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(log).not.toContain(MACHINE.client_secret);
    for (const { token } of tokens) expect(log).not.toContain(token);
  });

  it('has a fresh token in each session, and another one where that ends', async () => {
    await register();
    const first = new Set(tokens.map(({ token }) => token));
    expect(first.size).toBe(1);
    expect(await shout()).toMatchObject({ result: { structuredContent: { text: 'KNOTS' } } });
    const second = tokens.filter(({ token }) => !first.has(token));
    expect(new Set(second.map(({ token }) => token)).size).toBe(1);
    // From here on a token is good for one request of the protocol.
    isRevoked = ({ token }) => tokens.some((known) => known.token === token);
    tokens = [];
    expect(await shout()).toMatchObject({ result: { structuredContent: { text: 'KNOTS' } } });
    expect(new Set(tokens.map(({ token }) => token)).size).toBeGreaterThan(1);
  });

  it('does not have the secret of a client of another provider', async () => {
    const other = await openProvider();
    const rejected = await register({ issuer: other.url });
    await other.close();
    expect([rejected.status, rejected.body]).toMatchObject([
      503,
      { code: 'mcp_server_unavailable' },
    ]);
    expect(tokens).toEqual([]);
  });

  it('has no tools for a client with a wrong secret', async () => {
    const rejected = await register({ client_secret: 'a guess' });
    expect([rejected.status, rejected.body]).toMatchObject([
      503,
      { code: 'mcp_server_unavailable' },
    ]);
    expect(JSON.stringify(rejected.body)).not.toContain('a guess');
  });
});
