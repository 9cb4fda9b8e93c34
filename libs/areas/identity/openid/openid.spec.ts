import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type JWTPayload } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import {
  ADA,
  anyContext,
  type IdentityProcess,
  movableClock,
  openWorld,
} from '../identity-world.fixture.js';
import { Authenticator } from '../authentication/authenticator.js';
import { SESSION_SCOPES } from '../keys/key-policy.js';
import { LogInCommand } from '../sessions/log-in.handler.js';
import { ResetPasswordCommand } from '../passwords/reset-password.handler.js';
import { DefineTenantCommand } from '../tenants/define-tenant.handler.js';
import { ConfirmTwoFactorCommand } from '../two-factor/confirm-two-factor.handler.js';
import { StartTwoFactorCommand } from '../two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorCommand } from '../two-factor/verify-two-factor.handler.js';
import { ChangeUserCommand } from '../users/change-user.handler.js';
import { EraseUserCommand } from '../users/erase-user.handler.js';
import { SIGN_IN_SECONDS } from './browser-sign-ins.js';
import {
  type GroupRuleView,
  RemoveGroupRuleCommand,
  SetGroupRuleCommand,
} from './group-rules.handlers.js';
import { NO_PROVIDER } from './openid.fixture.js';
import { CLOCK_SKEW_SECONDS } from './provider-discovery.js';
import {
  AUDIENCE,
  CLIENT_ID,
  openScriptedIssuer,
  type ScriptedIssuer,
  type TokenTerms,
} from './scripted-issuer.fixture.js';
import { SignInOpenIdCommand } from './sign-in-openid.handler.js';

const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };
/** The first user has a password. */
const SECOND_ID = UserId.parse(2);
const CLIENT = { appName: 'Pocket', deviceInfo: null, scopes: SESSION_SCOPES };

let world: Awaited<ReturnType<typeof openWorld>>;
let issuer: ScriptedIssuer;
let here: IdentityProcess;

beforeEach(async () => {
  issuer = await openScriptedIssuer();
  world = await openWorld();
  // The library of the code flow compares with the clock of the machine.
  here = await world.start(movableClock(Date.now()), issuer.settings);
  await here.execute(new DefineTenantCommand(TENANT, anyContext()));
  await here.createUser();
});
afterEach(async () => {
  await world.end();
  await issuer.close();
});

const nowSeconds = (): number => Math.floor(here.clock.now() / 1_000);

const idClaims = (nonce: string, more: JWTPayload = {}): JWTPayload => ({
  iss: issuer.url,
  aud: CLIENT_ID,
  sub: 'subject-1',
  nonce,
  iat: nowSeconds(),
  exp: nowSeconds() + 60,
  groups: [],
  ...more,
});

const begin = async (at = here) => {
  const { url, sealed } = await at.signIns.begin(CLIENT);
  const asked = new URL(url).searchParams;
  return { url, sealed, state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' };
};

const callback = (query: string, sealed: string | null, at = here) =>
  at.execute(new SignInOpenIdCommand({ query, sealed }, anyContext()));

/** A whole sign-in, whose ID token has these claims. */
const signIn = async (more: JWTPayload = {}, terms: TokenTerms = {}) => {
  const { sealed, state, nonce } = await begin();
  issuer.script.idToken = await issuer.sign(idClaims(nonce, more), terms);
  return callback(`code=once&state=${state}`, sealed);
};

const sessionOf = async (more: JWTPayload = {}) => {
  const outcome = await signIn(more);
  if (outcome.kind !== 'session') throw new Error('expected a session');
  return outcome.session;
};

const setRule = (group: string, role: Role, more: object = {}): Promise<GroupRuleView> => {
  const grant = { role, tokenScopes: ['inference' as const], ...more };
  return here.execute(new SetGroupRuleCommand({ group, grant }, anyContext()));
};

const change = (kind: 'disable' | 'enable') =>
  here.execute(new ChangeUserCommand(SECOND_ID, { kind }, anyContext()));

describe('a sign-in by the provider', () => {
  it('asks it with state, nonce and PKCE, and for this client alone', async () => {
    const { url, sealed, state, nonce } = await begin();
    expect(url.startsWith(`${issuer.url}/authorize?`)).toBe(true);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: CLIENT_ID,
      response_type: 'code',
      redirect_uri: issuer.settings.callbackUrl,
      scope: 'openid profile email',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(sealed).toMatch(/^[\w.-]{1,4096}$/);
    for (const secret of [state, nonce]) {
      const parts = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString());
      expect(parts.join()).not.toContain(secret);
    }
  });

  it('creates the user once, and opens a session as a log-in does', async () => {
    const claims = {
      preferred_username: 'grace',
      email: 'grace@example.com',
      email_verified: true,
    };
    const session = await sessionOf(claims);
    expect(session).toMatchObject({
      accessToken: expect.stringMatching(/^svc_app_/),
      apiKey: expect.stringMatching(/^sk-svc-/),
      scopes: SESSION_SCOPES,
      user: { id: 2, username: 'grace', email: 'grace@example.com', role: 'renter' },
    });
    expect(here.openedAccounts).toEqual(['1', '2']);
    expect((await sessionOf(claims)).user.id).toBe(2);
    const caller = await here.authenticator.authenticate(session.apiKey);
    expect(caller).toMatchObject({ userId: 2, accountId: '2', role: 'renter' });
    expect((await sessionOf({ ...claims, sub: 'subject-2' })).user).toMatchObject({
      id: 3,
      username: expect.stringMatching(/^grace-[0-9a-f]{16}$/),
      email: expect.stringMatching(/^[0-9a-f]{16}@openid\.invalid$/),
    });
  });

  it('takes no user over by name or address, and no address that is not verified', async () => {
    const { username: preferred_username, email } = ADA;
    const taken = await sessionOf({ preferred_username, email, email_verified: true });
    expect(taken.user.id).toBe(2);
    expect([taken.user.username, taken.user.email]).not.toContain(ADA.username);
    const unverified = await sessionOf({ sub: 'subject-2', email: 'eve@example.com' });
    expect(unverified.user.email).toMatch(/@openid\.invalid$/);
    const { username, password } = ADA;
    const login = { username, password, otpCode: null, ...CLIENT };
    const outcome = await here.execute(new LogInCommand(login, anyContext()));
    expect(outcome).toMatchObject({ kind: 'session', session: { user: { id: 1 } } });
  });

  it('distinguishes subjects by case', async () => {
    expect((await sessionOf({ sub: 'Subject' })).user.id).toBe(2);
    expect((await sessionOf({ sub: 'subject' })).user.id).toBe(3);
  });

  it('reads the groups from the user info where the ID token has none', async () => {
    await setRule('staff', 'Partner');
    issuer.script.userinfo = { sub: 'subject-1', groups: ['staff'] };
    expect((await sessionOf({ groups: undefined })).user.role).toBe('Partner');
    expect((await sessionOf({ groups: [] })).user.role).toBe('renter');
    expect(issuer.requests.userinfo).toBe(1);
    issuer.script.userinfo = { sub: 'subject-2', groups: ['staff'] };
    await expect(signIn({ groups: undefined })).rejects.toMatchObject({ code: 'sign_in_rejected' });
  });

  it('gives the role of the groups at this sign-in, and takes it with the group', async () => {
    await setRule('staff', 'Partner');
    const { id } = await setRule('admins', 'Admin');
    const session = await sessionOf({ groups: ['staff', 'admins', 'others'] });
    expect(session.user.role).toBe('Admin');
    const roleNow = async () => (await here.authenticator.authenticate(session.apiKey))?.role;
    expect(await roleNow()).toBe('Admin');
    expect((await sessionOf({ groups: ['staff'] })).user.role).toBe('Partner');
    expect(await roleNow()).toBe('Partner');
    expect((await sessionOf({ groups: [] })).user.role).toBe('renter');
    expect(await roleNow()).toBe('renter');
    await here.execute(new RemoveGroupRuleCommand(id, anyContext()));
    expect((await sessionOf({ groups: ['admins'] })).user.role).toBe('renter');
  });

  it('does not let a disabled user in, and an erased one as another user', async () => {
    await sessionOf();
    await change('disable');
    await expect(signIn()).rejects.toMatchObject({ code: 'user_disabled' });
    await change('enable');
    expect((await sessionOf()).user.id).toBe(2);
    await here.execute(new EraseUserCommand({ userId: SECOND_ID }, anyContext()));
    expect((await sessionOf()).user.id).toBe(3);
  });

  it('asks for the second factor of the user, unless the provider has', async () => {
    await sessionOf();
    const reset = new ResetPasswordCommand(SECOND_ID, anyContext());
    const factor = { userId: SECOND_ID, password: await here.execute(reset) };
    const start = new StartTwoFactorCommand(factor, anyContext());
    const { secret } = await here.execute(start);
    const code = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: here.clock.now() });
    const confirm = { userId: SECOND_ID, otpCode: code() };
    await here.execute(new ConfirmTwoFactorCommand(confirm, anyContext()));
    const challenged = await signIn({ amr: ['pwd', 'otp'] });
    if (challenged.kind !== 'challenge') throw new Error('expected a challenge');
    here.clock.atMs += 30_000;
    const answer = { tempToken: challenged.tempToken, otpCode: code() };
    const verified = await here.execute(new VerifyTwoFactorCommand(answer, anyContext()));
    expect(verified.user.id).toBe(2);
    here.clock.atMs -= 30_000;
    expect(await signIn({ amr: ['pwd', 'otp', 'mfa'] })).toMatchObject({ kind: 'session' });
    const page = here.eventStore.readAll({
      after: 0n,
      filter: { by: 'type', prefixes: ['Session'] },
    });
    const factors: unknown[] = [];
    for await (const events of page) {
      factors.push(...events.map(({ data }) => (data as { secondFactor?: string }).secondFactor));
    }
    expect(factors).toEqual(['none', 'one_time_code', 'provider']);
  });
});

describe('a sign-in by the provider is rejected', () => {
  const HOUR = 3_600;

  it.each<[string, string, () => JWTPayload, TokenTerms]>([
    ['for another nonce', 'nonce', () => ({ nonce: 'another' }), {}],
    ['without a nonce', 'nonce', () => ({ nonce: undefined }), {}],
    ['for another client', 'aud', () => ({ aud: 'another' }), {}],
    ['for a machine', 'aud', () => ({ aud: AUDIENCE }), {}],
    ['by another issuer', 'iss', () => ({ iss: 'https://id.example.org' }), {}],
    ['after its end', 'exp', () => ({ exp: nowSeconds() - CLOCK_SKEW_SECONDS - 5 }), {}],
    ['without an end', 'exp', () => ({ exp: undefined }), {}],
    ['before its beginning', 'nbf', () => ({ nbf: nowSeconds() + HOUR }), {}],
    ['without a subject', 'sub', () => ({ sub: undefined }), {}],
    ['with a long subject', 'sub', () => ({ sub: 'a'.repeat(256) }), {}],
    ['without a signature', 'id_token', () => ({}), { key: 'none' }],
    ['with the key of another issuer', 'id_token', () => ({}), { key: 'foreign' }],
    ['with an unknown key', 'id_token', () => ({}), { key: 'unknown' }],
    ['with a shared secret', 'id_token', () => ({}), { key: 'shared' }],
  ])('by an ID token %s', async (_, part, moreOf, terms) => {
    const rejected = signIn(moreOf(), terms);
    await expect(rejected).rejects.toMatchObject({ code: 'sign_in_rejected' });
    expect(await rejected.catch(({ detail }: { detail: string }) => detail)).toContain(part);
    expect(here.openedAccounts).toEqual(['1']);
  });

  it('with a state that this browser did not get', async () => {
    const mine = await begin();
    const other = await begin();
    issuer.script.idToken = await issuer.sign(idClaims(mine.nonce));
    for (const [state, sealed] of [
      ['wrong', mine.sealed],
      [other.state, mine.sealed],
      [mine.state, other.sealed],
      [mine.state, null],
      [mine.state, 'forged'],
      [mine.state, `${mine.sealed.slice(0, -2)}AA`],
    ] as const) {
      const rejected = callback(`code=once&state=${state}`, sealed);
      await expect(rejected).rejects.toMatchObject({ code: 'invalid_state' });
    }
    await expect(callback('code=once', mine.sealed)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    here.clock.atMs += SIGN_IN_SECONDS * 1_000;
    const late = callback(`code=once&state=${mine.state}`, mine.sealed);
    await expect(late).rejects.toMatchObject({ code: 'invalid_state' });
    expect(issuer.requests.token).toBe(0);
  });

  it('where the user rejects it, and repeats no text of the answer', async () => {
    const { sealed, state } = await begin();
    const answered = (error: string) => callback(`error=${error}&state=${state}`, sealed);
    await expect(answered('access_denied')).rejects.toMatchObject({
      code: 'sign_in_rejected',
      detail: 'error: the provider answered access_denied',
    });
    await expect(answered('%3Cscript%3E')).rejects.toMatchObject({
      detail: 'error: the provider answered an error',
    });
    const twice = callback(`code=a&code=b&state=${state}`, sealed);
    await expect(twice).rejects.toMatchObject({ code: 'sign_in_rejected' });
  });

  it('without the settings, which the error names', async () => {
    const bare = await world.start(movableClock(), NO_PROVIDER);
    await expect(bare.signIns.begin(CLIENT)).rejects.toMatchObject({
      code: 'oidc_not_configured',
      detail: 'QUIPU_OIDC_ISSUER is not set; QUIPU_OIDC_CLIENT_ID is not set',
    });
  });

  it('while the provider is away, and not after it is back', async () => {
    issuer.script.isAway = true;
    const away = { name: 'OpenIdUnavailableError' };
    await Promise.all([1, 2, 3].map(() => expect(begin()).rejects.toMatchObject(away)));
    issuer.script.isAway = false;
    await expect(begin()).rejects.toMatchObject(away);
    expect(issuer.requests.metadata).toBe(0);
    here.clock.atMs += 5_000;
    const { sealed, state } = await begin();
    issuer.script.isAway = true;
    await expect(callback(`code=a&state=${state}`, sealed)).rejects.toMatchObject(away);
  });

  it('from a provider whose metadata are of another issuer', async () => {
    const { settings } = issuer;
    const wrong = { ...settings, issuer: settings.issuer?.replace('127.0.0.1', 'localhost') ?? '' };
    const there = await world.start(movableClock(), wrong);
    await expect(begin(there)).rejects.toMatchObject({ name: 'OpenIdUnavailableError' });
  });
});

describe('a token of the provider', () => {
  const claims = (more: JWTPayload = {}): JWTPayload => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'machine-1',
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    ...more,
  });
  const tokenOf = (more: JWTPayload = {}, terms: TokenTerms = { typ: 'at+jwt' }) =>
    issuer.sign(claims(more), terms);
  const authenticate = async (token: string) => here.authenticator.authenticate(token);

  it('is rejected with a clear error for a subject that no rule admits', async () => {
    const token = await tokenOf({ groups: ['others'] });
    await expect(authenticate(token)).rejects.toMatchObject({ code: 'subject_not_admitted' });
    expect(here.openedAccounts).toEqual(['1']);
  });

  it('has the role and the scopes of the rule that admits its group', async () => {
    const scopes = { tokenScopes: ['inference', 'read_billing'] };
    const { id } = await setRule('batch', 'Partner', scopes);
    const token = await tokenOf({ groups: ['batch'] });
    const callers = await Promise.all([token, token, token].map(authenticate));
    expect(callers[0]).toEqual({
      userId: 2,
      accountId: '2',
      role: 'Partner',
      credential: {
        kind: 'provider_token',
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
        policy: { scopes: ['inference', 'read_billing'] },
      },
    });
    expect(new Set(callers.map((caller) => caller?.userId))).toEqual(new Set([2]));
    expect(here.openedAccounts).toEqual(['1', '2']);
    await here.execute(new RemoveGroupRuleCommand(id, anyContext()));
    expect(await authenticate(token)).toMatchObject({
      role: 'renter',
      credential: { policy: { scopes: ['inference'] } },
    });
  });

  it('has inference alone without a rule, also for an Admin', async () => {
    await setRule('admins', 'Admin');
    await sessionOf({ sub: 'machine-1', groups: ['admins'] });
    expect(await authenticate(await tokenOf())).toMatchObject({
      userId: 2,
      role: 'renter',
      credential: { policy: { scopes: ['inference'] } },
    });
  });

  it('is answered from memory after it was verified, until it ends', async () => {
    await sessionOf({ sub: 'machine-1' });
    const token = await tokenOf();
    const { eventStore, codec, appTokens, clock, machines } = here;
    const lasting = { credentialsFreshMs: 60_000 };
    const other = new Authenticator(eventStore, codec, appTokens, clock, lasting, machines);
    expect(await other.authenticate(token)).toMatchObject({ userId: 2 });
    expect(other.authenticate(token)).toMatchObject({ userId: 2 });
    here.clock.atMs += (60 + CLOCK_SKEW_SECONDS - 2) * 1_000;
    expect(await authenticate(token)).not.toBeNull();
    here.clock.atMs += 2_000;
    expect(await authenticate(token)).toBeNull();
  });

  it('is not valid for a disabled user', async () => {
    await sessionOf({ sub: 'machine-1' });
    const token = await tokenOf();
    expect(await authenticate(token)).not.toBeNull();
    await change('disable');
    expect(await authenticate(token)).toBeNull();
  });

  it.each<[string, () => JWTPayload, TokenTerms]>([
    ['another audience', () => ({ aud: 'another' }), {}],
    ['the client as its audience, as an ID token has', () => ({ aud: CLIENT_ID }), {}],
    ['another issuer', () => ({ iss: 'https://id.example.org' }), {}],
    ['an end that is over', () => ({ exp: nowSeconds() - CLOCK_SKEW_SECONDS - 5 }), {}],
    ['no end', () => ({ exp: undefined }), {}],
    ['a beginning in the future', () => ({ nbf: nowSeconds() + CLOCK_SKEW_SECONDS + 5 }), {}],
    ['no subject', () => ({ sub: undefined }), {}],
    ['a key of its sender', () => ({ cnf: { jkt: 'thumbprint' } }), {}],
    ['another type', () => ({}), { typ: 'logout+jwt' }],
    ['no signature', () => ({}), { key: 'none' }],
    ['the key of another issuer', () => ({}), { key: 'foreign' }],
    ['an unknown key', () => ({}), { key: 'unknown' }],
    ['a shared secret', () => ({}), { key: 'shared' }],
    ['more than 8,192 characters', () => ({ long: 'a'.repeat(8_192) }), {}],
  ])('with %s is none', async (_, moreOf, terms) => {
    await sessionOf({ sub: 'machine-1' });
    expect(await authenticate(await tokenOf(moreOf(), terms))).toBeNull();
  });

  it('of an unknown key makes the keys be read again, once in a while', async () => {
    await sessionOf({ sub: 'machine-1' });
    await authenticate(await tokenOf());
    const before = issuer.requests.keys;
    for (let sent = 0; sent < 20; sent += 1) {
      await authenticate(await tokenOf({ jti: String(sent) }, { key: 'unknown' }));
    }
    expect(issuer.requests.keys - before).toBeLessThanOrEqual(1);
  });

  it('is rejected while the keys cannot be read', async () => {
    issuer.script.isAway = true;
    await expect(authenticate(await tokenOf())).rejects.toMatchObject({
      name: 'OpenIdUnavailableError',
    });
  });

  it('is none where no audience is configured', async () => {
    const settings = { ...issuer.settings, audience: null };
    const there = await world.start(movableClock(Date.now()), settings);
    expect(await there.authenticator.authenticate(await tokenOf())).toBeNull();
  });
});
