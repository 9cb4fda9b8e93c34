import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { scopesOfRole } from '#areas/identity/keys/key-policy.js';
import { type IdentityHttp, openIdentityHttp, PASSWORD } from './identity-http.fixture.js';

const SESSION = '/api/v1/auth/console_session';
const PAGE = { 'sec-fetch-site': 'same-origin' };
const ADA = { username: 'ada', password: PASSWORD };
const MINUTE_MS = 60_000;

const csrfIn = (headers: { readonly 'x-csrf-token': string }) => ({
  csrf_token: headers['x-csrf-token'],
});

let http: IdentityHttp;

beforeEach(async () => {
  http = await openIdentityHttp();
});
afterEach(() => http.close());

const call: IdentityHttp['call'] = (...request) => http.call(...request);

/** The cookie of an answer, as a browser sends it back. */
const cookieOf = ({ headers }: Awaited<ReturnType<typeof call>>): string =>
  String(headers['set-cookie']).split(';', 1)[0] ?? '';

const signIn = async () => {
  const answer = await call('POST', SESSION, { headers: PAGE, body: ADA });
  const page = { ...PAGE, cookie: cookieOf(answer) };
  return { answer, page, csrf: { 'x-csrf-token': String(answer.body.csrf_token) } };
};

describe('a console session', () => {
  it('is a cookie that no script reads, and shows no key', async () => {
    const { answer } = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-quipu-console=svc_con_[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=/,
    );
    expect(answer.body).toEqual({
      success: true,
      user: expect.objectContaining({ username: 'ada' }),
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      sign_in_rejected: null,
      has_provider: false,
    });
  });

  it('is a credential of pages of this gateway, with the scopes of the role', async () => {
    const { page } = await signIn();
    const { body } = await call('GET', '/api/v1/probe/finance', { headers: page });
    expect(body).toMatchObject({
      credential: {
        kind: 'console_session',
        policy: { scopes: scopesOfRole('Partner') },
        isConfirmed: true,
      },
    });
    expect((await call('GET', '/api/v1/auth/sessions', { headers: page })).status).toBe(200);
  });

  it('writes keys and money only soon after the password was entered', async () => {
    const { page, csrf } = await signIn();
    const headers = { ...page, ...csrf };
    const write = async () => (await call('POST', '/api/v1/probe/keys', { headers })).body.code;
    const confirm = (password: string, more: object = csrf) =>
      call('POST', `${SESSION}/confirmation`, {
        headers: { ...page, ...more },
        body: { password },
      });
    http.clock.atMs += 15 * MINUTE_MS - 1;
    expect(await write()).toBeUndefined();
    http.clock.atMs += 1;
    expect(await write()).toBe('confirmation_needed');
    expect((await call('GET', '/api/v1/auth/sessions', { headers: page })).status).toBe(200);
    expect((await confirm('wrong')).body.code).toBe('invalid_credentials');
    expect((await confirm(PASSWORD, {})).body.code).toBe('csrf_token_invalid');
    expect(await write()).toBe('confirmation_needed');
    expect((await confirm(PASSWORD)).body).toMatchObject({ success: true, ...csrfIn(csrf) });
    expect(await write()).toBeUndefined();
  });

  it('is no reason to ask a key for the password', async () => {
    http.clock.atMs += 60 * MINUTE_MS;
    const { status } = await call('POST', '/api/v1/probe/keys', { token: http.keys.apiKey });
    expect(status).toBe(201);
  });

  it('confirms no session that has ended', async () => {
    const { page, csrf } = await signIn();
    const headers = { ...page, ...csrf };
    await call('DELETE', SESSION, { headers });
    const body = { password: PASSWORD };
    const { status } = await call('POST', `${SESSION}/confirmation`, { headers, body });
    expect(status).toBe(401);
  });

  it.each(['cross-site', 'same-site', 'none', undefined])(
    'is no credential of a request whose Sec-Fetch-Site is %s',
    async (site) => {
      const { page } = await signIn();
      const headers = { cookie: page.cookie, ...(site && { 'sec-fetch-site': site }) };
      const reading = await call('GET', '/api/v1/probe/any', { headers });
      expect([reading.status, reading.body.code]).toEqual([401, 'missing_credentials']);
      const entering = await call('POST', SESSION, { headers, body: ADA });
      expect([entering.status, entering.body.code]).toEqual([403, 'origin_not_allowed']);
    },
  );

  it('writes only with its CSRF token', async () => {
    const { page, csrf } = await signIn();
    const other = (await signIn()).csrf;
    for (const headers of [page, { ...page, ...other }]) {
      const { status, body } = await call('DELETE', SESSION, { headers });
      expect([status, body.code]).toEqual([403, 'csrf_token_invalid']);
    }
    expect((await call('DELETE', SESSION, { headers: { ...page, ...csrf } })).status).toBe(200);
  });

  it('ends at a sign-out, with its cookie', async () => {
    const { page, csrf } = await signIn();
    const out = await call('DELETE', SESSION, { headers: { ...page, ...csrf } });
    expect(out.headers['set-cookie']).toMatch(/^__Host-quipu-console=; .*; Max-Age=0$/);
    expect((await call('GET', '/api/v1/probe/any', { headers: page })).status).toBe(401);
    const { status, body } = await call('GET', SESSION, { headers: page });
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: null, csrf_token: null });
  });

  it('gets another token when its page asks, and ends when it is idle', async () => {
    const { page, csrf } = await signIn();
    http.clock.atMs += 20 * MINUTE_MS;
    const renewed = await call('GET', SESSION, { headers: page });
    expect(renewed.body.csrf_token).toBe(csrf['x-csrf-token']);
    const cookie = cookieOf(renewed);
    expect(cookie).not.toBe(page.cookie);
    http.clock.atMs += 20 * MINUTE_MS;
    const withCookie = (headers: object) => call('GET', '/api/v1/probe/any', { headers });
    expect((await withCookie(page)).status).toBe(401);
    expect((await withCookie({ ...page, cookie })).status).toBe(200);
    http.clock.atMs += 20 * MINUTE_MS;
    expect((await withCookie({ ...page, cookie })).status).toBe(401);
  });

  it('ends after twelve hours, also in use', async () => {
    let { page } = await signIn();
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      http.clock.atMs += 20 * MINUTE_MS;
      const renewed = await call('GET', SESSION, { headers: page });
      page = { ...PAGE, cookie: cookieOf(renewed) };
    }
    expect((await call('GET', '/api/v1/probe/any', { headers: page })).status).toBe(200);
    http.clock.atMs += 20 * MINUTE_MS;
    expect((await call('GET', SESSION, { headers: page })).body.user).toBeNull();
  });

  it.each(['gateway.example.org', '192.0.2.7', '127.evil.example'])(
    'is rejected over http at %s',
    async (host) => {
      // A browser sends no Sec-Fetch-Site on such a connection.
      const headers = { host };
      const entering = await call('POST', SESSION, { headers, body: ADA });
      expect([entering.status, entering.body.code]).toEqual([403, 'insecure_connection']);
      const found = await call('GET', SESSION, { headers });
      expect(found.body.sign_in_rejected).toBe(entering.body.message);
    },
  );

  it('opens at localhost through the network of a container', async () => {
    const headers = { ...PAGE, host: 'localhost:8080' };
    const remoteAddress = '172.17.0.1';
    const entering = await call('POST', SESSION, { headers, remoteAddress, body: ADA });
    expect(entering.status).toBe(200);
  });

  it.each(['localhost:8080', '127.0.0.1:8080', '[::1]:8080'])('opens at %s', async (host) => {
    const entering = await call('POST', SESSION, { headers: { ...PAGE, host }, body: ADA });
    expect(entering.status).toBe(200);
  });

  it('does not open for the access token of an app, nor opens the routes of one', async () => {
    const token = await http.accessToken();
    const cookie = `__Host-quipu-console=${token}`;
    const asCookie = await call('GET', '/api/v1/probe/any', { headers: { ...PAGE, cookie } });
    expect(asCookie.status).toBe(401);
    const { page } = await signIn();
    const me = await call('GET', '/api/v1/auth/me', { headers: page });
    expect([me.status, me.body.code]).toEqual([401, 'credential_not_accepted']);
  });

  it('counts wrong passwords as failed attempts of the address', async () => {
    const wrong = { ...ADA, password: 'wrong' };
    for (let failed = 0; failed < 5; failed += 1) {
      await call('POST', SESSION, { headers: PAGE, body: wrong });
    }
    const { status, body } = await call('POST', SESSION, { headers: PAGE, body: ADA });
    expect([status, body.code]).toEqual([429, 'too_many_attempts']);
  });
});
