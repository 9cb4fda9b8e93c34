import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { type DomainError } from '#platform/kernel/domain-error.js';
import { ADA, anyContext, movableClock } from '../identity-world.fixture.js';
import { SESSION_SCOPES } from '../keys/key-policy.js';
import { ResetPasswordCommand } from '../passwords/reset-password.handler.js';
import { LogInCommand } from '../sessions/log-in.handler.js';
import { ConfirmTwoFactorCommand } from '../two-factor/confirm-two-factor.handler.js';
import { StartTwoFactorCommand } from '../two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorCommand } from '../two-factor/verify-two-factor.handler.js';
import { EraseUserCommand } from '../users/erase-user.handler.js';
import { SIGN_IN_SECONDS } from './browser-sign-ins.js';
import { RemoveGroupRuleCommand } from './group-rules.handlers.js';
import { NO_PROVIDER } from './openid.fixture.js';
import { CLOCK_SKEW_SECONDS, PROVIDER_TIMEOUT_SECONDS } from './provider-discovery.js';
import {
  AUDIENCE,
  CLIENT_ID,
  type TokenClaims,
  type TokenTerms,
} from './scripted-issuer.fixture.js';
import { CLIENT, openSignIns, SECOND_ID, type SignIns } from './sign-ins.fixture.js';

let at: SignIns;
let issuer: SignIns['issuer'];
let here: SignIns['here'];

beforeEach(async () => {
  at = await openSignIns();
  ({ issuer, here } = at);
});
afterEach(() => at.end());

describe('a sign-in by the provider', () => {
  it('asks it with state, nonce and PKCE, and for this client alone', async () => {
    const { url, sealed, state, nonce } = await at.begin();
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

  it('applies the teams of the rules that match, and none without one', async () => {
    const teams = [
      { teamId: 'team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f01', role: 'developer' as const },
    ];
    await at.setRule('ml', 'Partner', { teams });
    await at.sessionOf({ groups: ['ml'] });
    await at.sessionOf({ groups: [] });
    expect(here.appliedTeams).toEqual([teams, []]);
  });

  it('creates the user once, and opens a session as a log-in does', async () => {
    const claims = {
      preferred_username: 'grace',
      email: 'grace@example.com',
      email_verified: true,
    };
    const session = await at.sessionOf(claims);
    expect(session).toMatchObject({
      accessToken: expect.stringMatching(/^svc_app_/),
      apiKey: expect.stringMatching(/^sk-svc-/),
      scopes: SESSION_SCOPES,
      user: { id: 2, username: 'grace', email: 'grace@example.com', role: 'renter' },
    });
    expect(here.openedAccounts).toEqual(['1', '2']);
    expect((await at.sessionOf(claims)).user.id).toBe(2);
    const caller = await here.authenticator.authenticate(session.apiKey);
    expect(caller).toMatchObject({ userId: 2, accountId: '2', role: 'renter' });
    expect((await at.sessionOf({ ...claims, sub: 'subject-2' })).user).toMatchObject({
      id: 3,
      username: expect.stringMatching(/^grace-[0-9a-f]{16}$/),
      email: expect.stringMatching(/^[0-9a-f]{16}@openid\.invalid$/),
    });
  });

  it('takes no user over by name or address, and no address that is not verified', async () => {
    const { username: preferred_username, email } = ADA;
    const taken = await at.sessionOf({ preferred_username, email, email_verified: true });
    expect(taken.user.id).toBe(2);
    expect([taken.user.username, taken.user.email]).not.toContain(ADA.username);
    const unverified = await at.sessionOf({ sub: 'subject-2', email: 'eve@example.com' });
    expect(unverified.user.email).toMatch(/@openid\.invalid$/);
    const { username, password } = ADA;
    const login = { username, password, otpCode: null, ...CLIENT };
    const outcome = await here.execute(new LogInCommand(login, anyContext()));
    expect(outcome).toMatchObject({ kind: 'session', session: { user: { id: 1 } } });
  });

  it('distinguishes subjects by case', async () => {
    expect((await at.sessionOf({ sub: 'Subject' })).user.id).toBe(2);
    expect((await at.sessionOf({ sub: 'subject' })).user.id).toBe(3);
  });

  it('reads the groups from the user info where the ID token has none', async () => {
    await at.setRule('staff', 'Partner');
    issuer.script.userinfo = { sub: 'subject-1', groups: ['staff'] };
    expect((await at.sessionOf({ groups: undefined })).user.role).toBe('Partner');
    expect((await at.sessionOf({ groups: [] })).user.role).toBe('renter');
    expect(issuer.requests.userinfo).toBe(1);
    issuer.script.userinfo = { sub: 'subject-2', groups: ['staff'] };
    await expect(at.signIn({ groups: undefined })).rejects.toMatchObject({
      code: 'sign_in_rejected',
    });
  });

  it('gives the role of the groups at this sign-in, and takes it with the group', async () => {
    await at.setRule('staff', 'Partner');
    const { id } = await at.setRule('admins', 'Admin');
    const session = await at.sessionOf({ groups: ['staff', 'admins', 'others'] });
    expect(session.user.role).toBe('Admin');
    const roleNow = async () => (await here.authenticator.authenticate(session.apiKey))?.role;
    expect(await roleNow()).toBe('Admin');
    expect((await at.sessionOf({ groups: ['staff'] })).user.role).toBe('Partner');
    expect(await roleNow()).toBe('Partner');
    expect((await at.sessionOf({ groups: [] })).user.role).toBe('renter');
    expect(await roleNow()).toBe('renter');
    await here.execute(new RemoveGroupRuleCommand(id, anyContext()));
    expect((await at.sessionOf({ groups: ['admins'] })).user.role).toBe('renter');
  });

  it('does not let a disabled user in, and an erased one as another user', async () => {
    await at.sessionOf();
    await at.change('disable');
    await expect(at.signIn()).rejects.toMatchObject({ code: 'user_disabled' });
    await at.change('enable');
    expect((await at.sessionOf()).user.id).toBe(2);
    await here.execute(new EraseUserCommand({ userId: SECOND_ID }, anyContext()));
    expect((await at.sessionOf()).user.id).toBe(3);
  });

  it('asks for the second factor of the user, unless the provider has', async () => {
    await at.sessionOf();
    const reset = new ResetPasswordCommand(SECOND_ID, anyContext());
    const factor = { userId: SECOND_ID, password: await here.execute(reset) };
    const start = new StartTwoFactorCommand(factor, anyContext());
    const { secret } = await here.execute(start);
    const code = () =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: here.clock.now() });
    const confirm = { userId: SECOND_ID, otpCode: code() };
    await here.execute(new ConfirmTwoFactorCommand(confirm, anyContext()));
    const challenged = await at.signIn({ amr: ['pwd', 'otp'] });
    if (challenged.kind !== 'challenge') throw new Error('expected a challenge');
    here.clock.atMs += 30_000;
    const answer = { tempToken: challenged.tempToken, otpCode: code() };
    const verified = await here.execute(new VerifyTwoFactorCommand(answer, anyContext()));
    expect(verified.user.id).toBe(2);
    here.clock.atMs -= 30_000;
    expect(await at.signIn({ amr: ['pwd', 'otp', 'mfa'] })).toMatchObject({ kind: 'session' });
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

  const FORGED: readonly (readonly [string, string, () => TokenClaims, TokenTerms])[] = [
    ['for another nonce', 'nonce', () => ({ nonce: 'another' }), {}],
    ['without a nonce', 'nonce', () => ({ nonce: undefined }), {}],
    ['for another client', 'aud', () => ({ aud: 'another' }), {}],
    ['for a machine', 'aud', () => ({ aud: AUDIENCE }), {}],
    ['by another issuer', 'iss', () => ({ iss: 'https://id.example.org' }), {}],
    ['after its end', 'exp', () => ({ exp: at.nowSeconds() - CLOCK_SKEW_SECONDS - 5 }), {}],
    ['without an end', 'exp', () => ({ exp: undefined }), {}],
    ['before its beginning', 'nbf', () => ({ nbf: at.nowSeconds() + HOUR }), {}],
    ['without a subject', 'sub', () => ({ sub: undefined }), {}],
    ['with a long subject', 'sub', () => ({ sub: 'a'.repeat(256) }), {}],
    ['without a signature', 'id_token', () => ({}), { key: 'none' }],
    ['with the key of another issuer', 'id_token', () => ({}), { key: 'foreign' }],
    ['with an unknown key', 'id_token', () => ({}), { key: 'unknown' }],
    ['with a shared secret', 'id_token', () => ({}), { key: 'shared' }],
  ];

  it('by an ID token that is not right, and the error has its part', async () => {
    for (const [name, part, moreOf, terms] of FORGED) {
      const detail = await at.signIn(moreOf(), terms).then(
        () => 'accepted',
        (error: unknown) => (error as DomainError).message,
      );
      expect({ name, detail }).toEqual({ name, detail: expect.stringContaining(part) });
      expect({ name, detail }).toEqual({
        name,
        detail: expect.stringMatching(/^sign_in_rejected/),
      });
    }
    expect(here.openedAccounts).toEqual(['1']);
  });

  it('with a state that this browser did not get', async () => {
    const mine = await at.begin();
    const other = await at.begin();
    issuer.script.idToken = await issuer.sign(at.idClaims(mine.nonce));
    // The first character of the tag: the last one has bits that do not count.
    const tampered = mine.sealed.replace(/[^.](?=[^.]*$)/, (one) => (one === 'A' ? 'B' : 'A'));
    for (const [state, sealed] of [
      ['wrong', mine.sealed],
      [other.state, mine.sealed],
      [mine.state, other.sealed],
      [mine.state, null],
      [mine.state, 'forged'],
      [mine.state, tampered],
    ] as const) {
      const rejected = at.callback(`code=once&state=${state}`, sealed);
      await expect(rejected).rejects.toMatchObject({ code: 'invalid_state' });
    }
    await expect(at.callback('code=once', mine.sealed)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    here.clock.atMs += SIGN_IN_SECONDS * 1_000;
    const late = at.callback(`code=once&state=${mine.state}`, mine.sealed);
    await expect(late).rejects.toMatchObject({ code: 'invalid_state' });
    expect(issuer.requests.token).toBe(0);
  });

  it('where the user rejects it, and repeats no text of the answer', async () => {
    const { sealed, state } = await at.begin();
    const answered = (error: string) => at.callback(`error=${error}&state=${state}`, sealed);
    await expect(answered('access_denied')).rejects.toMatchObject({
      code: 'sign_in_rejected',
      detail: 'error: the provider answered access_denied',
    });
    await expect(answered('%3Cscript%3E')).rejects.toMatchObject({
      detail: 'error: the provider answered an error',
    });
    const twice = at.callback(`code=a&code=b&state=${state}`, sealed);
    await expect(twice).rejects.toMatchObject({ code: 'sign_in_rejected' });
  });

  it('without the settings, which the error names', async () => {
    const bare = await at.world.start(movableClock(), NO_PROVIDER);
    await expect(bare.signIns.begin(CLIENT)).rejects.toMatchObject({
      code: 'oidc_not_configured',
      detail: 'QUIPU_OIDC_ISSUER is not set; QUIPU_OIDC_CLIENT_ID is not set',
    });
  });

  it('while the provider is away, and not after it is back', async () => {
    issuer.script.isAway = true;
    const away = { name: 'OpenIdUnavailableError' };
    await Promise.all([1, 2, 3].map(() => expect(at.begin()).rejects.toMatchObject(away)));
    issuer.script.isAway = false;
    await expect(at.begin()).rejects.toMatchObject(away);
    expect(issuer.requests.metadata).toBe(0);
    here.clock.atMs += 5_000;
    const { sealed, state } = await at.begin();
    issuer.script.isAway = true;
    await expect(at.callback(`code=a&state=${state}`, sealed)).rejects.toMatchObject(away);
  });

  it('after a time-out where the provider does not answer, and then at once', async () => {
    issuer.script.isSilent = true;
    const began = performance.now();
    await Promise.all(
      [1, 2].map(() =>
        expect(at.begin()).rejects.toMatchObject({ name: 'OpenIdUnavailableError' }),
      ),
    );
    const waitedMs = performance.now() - began;
    expect(waitedMs).toBeGreaterThan(PROVIDER_TIMEOUT_SECONDS * 900);
    await expect(at.begin()).rejects.toMatchObject({ name: 'OpenIdUnavailableError' });
    expect(performance.now() - began - waitedMs).toBeLessThan(1_000);
  });

  it('from a provider whose metadata are of another issuer', async () => {
    const { settings } = issuer;
    const wrong = { ...settings, issuer: settings.issuer?.replace('127.0.0.1', 'localhost') ?? '' };
    const there = await at.world.start(movableClock(), wrong);
    await expect(at.begin(there)).rejects.toMatchObject({ name: 'OpenIdUnavailableError' });
  });
});
