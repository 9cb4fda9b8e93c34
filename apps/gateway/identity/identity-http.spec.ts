import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UserId } from '#events/vocabulary.js';
import {
  ENTRY_POINTS,
  type IdentityHttp,
  openIdentityHttp,
  RATES,
} from './identity-http.fixture.js';

let http: IdentityHttp;

beforeEach(async () => {
  http = await openIdentityHttp();
});
afterEach(() => http.close());

const call: IdentityHttp['call'] = (...request) => http.call(...request);
const logIn: IdentityHttp['logIn'] = (...request) => http.logIn(...request);
const accessToken = () => http.accessToken();

describe('login', () => {
  it('returns the promised shape', async () => {
    const { status, body } = await logIn({ app_name: 'Pocket', device_info: 'Pixel' });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      token_type: 'Bearer',
      access_token: expect.stringMatching(/^svc_app_[\w-]+\.[\w-]+\.[\w-]+$/),
      api_key: expect.stringMatching(/^sk-svc-[\w-]{43}$/),
      expires_in: 2_592_000,
      expires_at: '2026-12-21 04:48:00',
      scopes: ['inference', 'read_billing'],
      user: {
        id: 1,
        username: 'ada',
        email: 'ada@example.com',
        role: 'Partner',
        balance_usd: 9.7,
        twofa_enabled: false,
        theme: 'system',
        language: 'en',
      },
      tenant: { name: 'Quipu', primary_color: '#7a3e1d', base_url: 'http://127.0.0.1:8080' },
      api_urls: ENTRY_POINTS,
    });
  });

  it('gives one answer for an unknown user and a wrong password', async () => {
    const unknown = await logIn({ username: 'unknown' });
    const wrong = await logIn({ password: 'wrong' });
    expect(unknown.status).toBe(401);
    expect(unknown.headers['www-authenticate']).toBe('Bearer');
    expect(unknown.body).toMatchObject({ success: false, code: 'invalid_credentials' });
    expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body]);
  });

  it.each([
    ['username', { username: 7 }],
    ['password', { password: '' }],
    ['app_name', { app_name: 'a'.repeat(129) }],
    ['otp_code', { otp_code: 492_039 }],
    ['surprise', { surprise: true }],
  ])('names the field that is wrong: %s', async (field, body) => {
    const { status, body: answer } = await logIn(body);
    expect([status, answer.code]).toEqual([400, 'invalid_request']);
    expect(answer.message).toContain(field);
  });

  it('answers sixty correct log-ins at the same time', async () => {
    const burst = await Promise.all(Array.from({ length: 60 }, () => logIn()));
    expect(burst.map(({ status }) => status)).toEqual(Array(60).fill(200));
  });

  it('rejects the address after five failures, even with the correct password', async () => {
    for (let failed = 0; failed < 4; failed += 1) await logIn({ password: 'wrong' });
    const me = await call('GET', '/api/v1/auth/me', { token: 'svc_app_a.b.c' });
    expect(me.status).toBe(401);
    const { status, headers, body } = await logIn();
    expect([status, headers['retry-after'], body.code]).toEqual([429, '300', 'too_many_attempts']);
    http.clock.atMs += 300_000;
    expect((await logIn()).status).toBe(200);
  });
});

describe('the access token', () => {
  it('shows the account context, until it is revoked with its key', async () => {
    const { body } = await logIn({ app_name: 'Pocket' });
    const token = body.access_token as string;
    const me = await call('GET', '/api/v1/auth/me', { token });
    expect(me.body).toEqual({
      success: true,
      user: body.user,
      tenant: body.tenant,
      session: {
        id: expect.any(String),
        app_name: 'Pocket',
        device_info: null,
        scopes: ['inference', 'read_billing'],
        started_at: '2026-11-21 04:48:00',
        expires_at: '2026-12-21 04:48:00',
      },
    });
    const byHeader = await call('GET', '/api/v1/auth/me', { headers: { 'x-api-key': token } });
    expect(byHeader.status).toBe(200);
    expect((await call('POST', '/api/v1/auth/revoke', { token })).body.success).toBe(true);
    for (const ended of [token, body.api_key as string]) {
      expect((await call('GET', '/api/v1/probe/any', { token: ended })).status).toBe(401);
    }
    const gone = await call('GET', '/api/v1/auth/me', { token });
    expect([gone.status, gone.body.code]).toEqual([401, 'invalid_api_key']);
  });

  it('ends with its own expiry, if that is before the end of its session', async () => {
    const token = await accessToken();
    const { id: sessionId } = (await call('GET', '/api/v1/auth/me', { token })).body.session as {
      id: string;
    };
    const owner = { userId: UserId.parse(1), sessionId };
    const short = http.appTokens.sign(owner, http.clock.atMs + 60_000);
    const me = () => call('GET', '/api/v1/auth/me', { token: short });
    expect((await me()).status).toBe(200);
    http.clock.atMs += 60_000;
    expect(await me()).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    expect((await call('GET', '/api/v1/auth/me', { token })).status).toBe(200);
  });

  it('is the only credential that its routes accept', async () => {
    const none = await call('GET', '/api/v1/auth/me');
    expect([none.status, none.body.code]).toEqual([401, 'missing_credentials']);
    const other = await call('GET', '/api/v1/auth/me', { token: http.keys.apiKey });
    expect([other.status, other.body.code]).toEqual([401, 'credential_not_accepted']);
  });
});

describe('guards', () => {
  it('admit every kind, in either header, and a renter key as a renter', async () => {
    for (const token of [http.keys.apiKey, http.keys.renterKey, await accessToken()]) {
      const answer = await call('GET', '/api/v1/probe/any', { token });
      expect(answer.body).toMatchObject({ userId: 1, accountId: '1' });
      const byHeader = await call('GET', '/api/v1/probe/any', { headers: { 'x-api-key': token } });
      expect(byHeader.body).toEqual(answer.body);
    }
    const renter = await call('GET', '/api/v1/probe/any', { token: http.keys.renterKey });
    expect(renter.body.role).toBe('renter');
  });

  it('reject missing credentials, other schemes and unknown keys', async () => {
    const basic = { headers: { authorization: 'Basic YWRhOmFkYQ==' } };
    expect((await call('GET', '/api/v1/probe/any')).body.code).toBe('missing_credentials');
    expect((await call('GET', '/api/v1/probe/any', basic)).body.code).toBe('missing_credentials');
    const unknown = await call('GET', '/api/v1/probe/any', { token: 'sk-svc-unknown' });
    expect(unknown.headers['www-authenticate']).toBe('Bearer');
    expect([unknown.status, unknown.body.code]).toEqual([401, 'invalid_api_key']);
  });

  it('admit only API keys to finance routes', async () => {
    expect((await call('GET', '/api/v1/probe/finance', { token: http.keys.apiKey })).status).toBe(
      200,
    );
    for (const token of [http.keys.renterKey, await accessToken()]) {
      const { status, body } = await call('GET', '/api/v1/probe/finance', { token });
      expect([status, body.code]).toEqual([401, 'credential_not_accepted']);
    }
  });

  it('check roles, and reject a renter key', async () => {
    const partner = (token: string) => call('GET', '/api/v1/probe/partner', { token });
    expect((await partner(http.keys.apiKey)).status).toBe(200);
    const renter = await partner(http.keys.renterKey);
    expect([renter.status, renter.body.code]).toEqual([403, 'insufficient_role']);
    const investor = await call('GET', '/api/v1/probe/investor', { token: http.keys.apiKey });
    expect(investor.status).toBe(403);
  });
});

describe('keys over HTTP', () => {
  it('are issued, rotated, listed and revoked', async () => {
    const token = http.keys.apiKey;
    const url = '/api/v1/auth/keys';
    const issued = await call('POST', url, { token, body: { name: 'nightly' } });
    expect(issued.status).toBe(201);
    const { id } = issued.body.key as { id: string };
    const rotated = await call('POST', `${url}/${id}/rotate`, { token });
    expect(rotated.body.api_key).not.toBe(issued.body.api_key);
    const old = await call('GET', url, { token: issued.body.api_key as string });
    expect(old.status).toBe(401);
    const listed = await call('GET', url, { token });
    const names = (listed.body.keys as { name: string }[]).map(({ name }) => name);
    expect(names.sort()).toEqual(['default', 'nightly', 'renter']);
    expect(JSON.stringify(listed.body)).not.toContain('sk-svc-');
    const fresh = (rotated.body.key as { id: string }).id;
    expect((await call('DELETE', `${url}/${fresh}`, { token })).status).toBe(200);
    const twice = await call('DELETE', `${url}/${fresh}`, { token });
    expect([twice.status, twice.body.code]).toEqual([404, 'api_key_not_found']);
    const malformed = await call('DELETE', `${url}/nonsense`, { token });
    expect([malformed.status, malformed.body.code]).toEqual([400, 'invalid_request']);
  });

  it('are issued and rotated once by requests with an Idempotency-Key', async () => {
    const url = '/api/v1/auth/keys';
    const headers = { 'idempotency-key': 'nightly' };
    const body = { name: 'nightly', scopes: ['manage_keys'] };
    const request = { token: http.keys.apiKey, body, headers };
    const issued = await call('POST', url, request);
    const again = await call('POST', url, request);
    expect(again.body).toEqual(issued.body);
    expect(again.headers['x-quipu-idempotent-replay']).toBe('true');
    const { id } = issued.body.key as { id: string };
    const rotate = () => call('POST', `${url}/${id}/rotate`, { token: http.keys.apiKey, headers });
    expect((await rotate()).body.code).toBe('idempotency_conflict');
    headers['idempotency-key'] = 'rotation';
    const rotated = await rotate();
    expect(rotated.status).toBe(201);
    expect((await rotate()).body).toEqual(rotated.body);
    const listed = await call('GET', url, { token: rotated.body.api_key as string });
    expect(listed.body.keys).toHaveLength(3);
  });

  it('cannot be managed with a renter key', async () => {
    const { status } = await call('GET', '/api/v1/auth/keys', { token: http.keys.renterKey });
    expect(status).toBe(401);
  });
});

describe('the rate of requests', () => {
  it.each([
    ['/api/v1/probe/any', () => http.keys.apiKey],
    ['/api/v1/auth/keys', () => http.keys.apiKey],
    ['/api/v1/auth/me', accessToken],
  ])('is limited for each key, on %s', async (url, tokenOf) => {
    const token = await tokenOf();
    for (let sent = 0; sent < RATES.perKey; sent += 1) {
      expect((await call('GET', url, { token })).status).toBe(200);
    }
    const { status, headers, body } = await call('GET', url, { token });
    expect([status, headers['retry-after'], body.code]).toEqual([429, '1', 'rate_limit_exceeded']);
    http.clock.atMs += 1_000;
    expect((await call('GET', url, { token })).status).toBe(200);
  });
});
