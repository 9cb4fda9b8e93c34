import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from './command-line.fixture.js';
import {
  AUDIENCE,
  Browser,
  CALLBACK_URL,
  openProvider,
  type RunningProvider,
  SECRET,
} from './openid-provider.fixture.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly message?: string;
    readonly access_token?: string;
    readonly api_key?: string;
    readonly scopes?: readonly string[];
    readonly user?: { readonly id: number; readonly username: string; readonly role: string };
    readonly error?: { readonly code: string };
    readonly rules?: readonly object[];
  };
}

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: (await response.json()) as Answer['body'],
});

describe('an OpenID provider', () => {
  let provider: RunningProvider;
  let world: World;
  let browser: Browser;
  const line = new CommandLine(() => world);
  const outside = new URL(CALLBACK_URL).origin;
  const start = `${outside}/api/v1/auth/oidc/start`;

  beforeAll(async () => {
    provider = await openProvider();
    world = await startWorld([answering('Knots'), answering('Cords')], {
      environment: {
        QUIPU_TRUST_PROXY: '1',
        QUIPU_OIDC_ISSUER: provider.url,
        QUIPU_OIDC_CLIENT_ID: 'quipu',
        QUIPU_OIDC_CLIENT_SECRET: SECRET,
        QUIPU_OIDC_AUDIENCE: AUDIENCE,
        QUIPU_OIDC_CALLBACK_URL: CALLBACK_URL,
      },
    });
  });

  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  const openBrowser = (): Browser => new Browser((url) => url.replace(outside, world.quipu.url));

  beforeEach(() => {
    browser = openBrowser();
  });

  const ask = async (
    path: string,
    token: string,
    { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {},
  ): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return answerOf(await fetch(`${world.quipu.url}${path}`, { method, headers, ...sent }));
  };

  const signIn = async (login: string, query = ''): Promise<Answer> => {
    const callback = await browser.signIn(`${start}${query}`, login);
    return answerOf(await browser.send(callback));
  };

  it('signs a user in, as a password does', async () => {
    provider.users['grace'] = { groups: [], preferred_username: 'grace' };
    const { status, body } = await signIn('grace', '?scopes=inference%20manage_keys&app_name=Web');
    expect([status, body.user?.username, body.user?.role]).toEqual([200, 'grace', 'renter']);
    expect(body.scopes).toEqual(['inference', 'manage_keys']);
    const me = await ask('/api/v1/auth/me', body.access_token ?? '');
    expect(me.body).toMatchObject({ user: body.user, session: { app_name: 'Web' } });
    expect((await ask('/v1/models', body.api_key ?? '')).status).toBe(200);
    browser = openBrowser();
    expect((await signIn('grace')).body.user?.id).toBe(body.user?.id);
  });

  it('ends a sign-in of the console at the console, with its cookie', async () => {
    provider.users['ada'] = { groups: [], preferred_username: 'ada' };
    const callback = await browser.signIn(`${outside}/api/v1/auth/oidc/console`, 'ada');
    const response = await browser.send(callback);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console']);
    const [cookie = ''] = response.headers
      .getSetCookie()
      .filter((line) => line.startsWith('__Host-quipu-console='));
    expect(cookie).toMatch(/=svc_con_[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict;/);
    const [pair = ''] = cookie.split(';', 1);
    const headers = { cookie: pair, 'sec-fetch-site': 'same-origin' };
    const session = await fetch(`${world.quipu.url}/api/v1/auth/console_session`, { headers });
    expect(await session.json()).toMatchObject({ user: { username: 'ada' }, has_provider: true });
  });

  it('sends the browser to itself alone, with a cookie for the callback', async () => {
    const response = await browser.send(start);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain(`${provider.url}/auth?`);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toMatch(
      /^quipu_oidc=[\w.-]+; Path=\/api\/v1\/auth\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    for (const query of ['redirect_uri', 'return_to', 'next', 'issuer']) {
      const answer = await browser.send(`${start}?${query}=https%3A%2F%2Fevil.example`);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
    const { status, body } = await answerOf(await browser.send(`${start}?scopes=all`));
    expect([status, body.message]).toEqual([400, expect.stringContaining('scopes: expected some')]);
  });

  it('rejects a callback in another browser, with another code, and twice', async () => {
    provider.users['eve'] = { groups: [] };
    const victim = await openBrowser().signIn(start, 'eve');
    const foreign = await answerOf(await browser.send(victim));
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_state']);
    const other = await browser.signIn(start, 'eve');
    const mine = new URL(await browser.signIn(start, 'eve'));
    // The code belongs to the code verifier of another sign-in.
    mine.searchParams.set('code', new URL(other).searchParams.get('code') ?? '');
    const injected = await answerOf(await browser.send(mine.href));
    expect([injected.status, injected.body.code]).toEqual([401, 'sign_in_rejected']);
    const repeated = await answerOf(await browser.send(mine.href));
    expect([repeated.status, repeated.body.code]).toEqual([400, 'invalid_state']);
  });

  it('rejects a code that was used, also with the cookie', async () => {
    provider.users['eve'] = { groups: [] };
    const begun = await browser.send(start);
    const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';', 1);
    const callback = await browser.signIn(begun.headers.get('location') ?? '', 'eve');
    const send = async () =>
      answerOf(await fetch(callback.replace(outside, world.quipu.url), { headers: { cookie } }));
    expect((await send()).status).toBe(200);
    const replayed = await send();
    expect([replayed.status, replayed.body.code]).toEqual([401, 'sign_in_rejected']);
    expect(replayed.body.message).toContain('code: the provider rejected it with invalid_grant');
  });

  it('gives groups roles by rules, which end with the group', async () => {
    const rule = { group: 'staff', role: 'Partner' };
    const admin = world.credentials.api_key;
    const set = await ask('/api/v1/auth/oidc/rules', admin, { method: 'PUT', body: rule });
    expect(set).toMatchObject({
      status: 200,
      body: { rule: { ...rule, issuer: provider.url, token_scopes: ['inference'] } },
    });
    provider.users['lin'] = { groups: ['staff'], preferred_username: 'lin' };
    const partner = await signIn('lin');
    expect(partner.body.user?.role).toBe('Partner');
    const denied = await ask('/api/v1/auth/oidc/rules', partner.body.access_token ?? '');
    expect(denied.status).toBe(403);
    provider.users['lin'] = { groups: [] };
    browser = openBrowser();
    expect((await signIn('lin')).body.user?.role).toBe('renter');
    const words = ['--group', 'batch', '--role', 'renter'];
    const shown = (await line.result('oidc', 'set-rule', ...words)) as {
      readonly rule: { readonly rule_id: string };
    };
    const rules = await ask('/api/v1/auth/oidc/rules', admin);
    expect(rules.body.rules).toEqual([expect.objectContaining(rule), shown.rule]);
    const { rule_id: id } = shown.rule;
    expect(await line.result('oidc', 'rules')).toMatchObject({ rules: rules.body.rules });
    expect(await line.result('oidc', 'remove-rule', '--rule', id)).toMatchObject({ removed: true });
    const gone = await ask(`/api/v1/auth/oidc/rules/${id}`, admin, { method: 'DELETE' });
    expect([gone.status, gone.body.code]).toEqual([404, 'group_rule_not_found']);
  });

  it('does not sign a disabled user in', async () => {
    provider.users['kim'] = { groups: [], preferred_username: 'kim' };
    expect((await signIn('kim')).status).toBe(200);
    await line.result('user', 'disable', '--user', 'kim');
    browser = openBrowser();
    const { status, body } = await signIn('kim');
    expect([status, body.code]).toEqual([403, 'user_disabled']);
  });

  it('issues tokens to machines, whose accounts pay, within the scopes of a rule', async () => {
    const chat = async (token: string) =>
      ask('/v1/chat/completions', token, { method: 'POST', body: chatRequest() });
    const unknown = await chat(await provider.tokenOfMachine());
    expect([unknown.status, unknown.body.error?.code]).toEqual([403, 'subject_not_admitted']);
    provider.machine.groups.push('machines');
    const rule = { group: 'machines', role: 'renter', token_scopes: ['inference'] };
    const admin = world.credentials.api_key;
    await ask('/api/v1/auth/oidc/rules', admin, { method: 'PUT', body: rule });
    const token = await provider.tokenOfMachine();
    const poor = await chat(token);
    expect([poor.status, poor.body.error?.code]).toEqual([402, 'insufficient_balance']);
    const { users } = (await ask('/api/v1/users?limit=100', admin)).body as {
      readonly users?: readonly { readonly username: string; readonly account_id: string }[];
    };
    const account = users?.at(-1)?.account_id ?? '';
    const deposit = { deposit_id: 'deposit-1', amount_usd: 1 };
    const path = `/api/v1/accounts/${account}/deposits`;
    expect(await ask(path, admin, { method: 'POST', body: deposit })).toMatchObject({
      status: 200,
    });
    expect((await chat(token)).status).toBe(200);
    const charged = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
    expect(charged.map(({ stream }) => stream)).toEqual([`account-${account}`]);
    for (const path of ['/api/v1/auth/keys', '/api/v1/users', '/api/v1/requests']) {
      expect((await ask(path, token)).status).toBeGreaterThanOrEqual(401);
    }
    const other = await provider.tokenOfMachine('https://other.example.org');
    expect((await chat(other)).status).toBe(401);
  });
});
