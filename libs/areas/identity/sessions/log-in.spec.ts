import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { SESSION_SCOPES } from '../keys/key-policy.js';
import { ConfirmTwoFactorCommand } from '../two-factor/confirm-two-factor.handler.js';
import { DefineTenantCommand } from '../tenants/define-tenant.handler.js';
import { DisableTwoFactorCommand } from '../two-factor/disable-two-factor.handler.js';
import {
  ADA,
  anyContext,
  FIRST_ID,
  type IdentityProcess,
  openWorld,
} from '../identity-world.fixture.js';
import { ListApiKeysQuery } from '../keys/list-api-keys.handler.js';
import { CHALLENGE_SECONDS } from '../two-factor/challenges.js';
import { LogInCommand } from './log-in.handler.js';
import { ReplaceRecoveryCodesCommand } from '../two-factor/recovery-codes.handler.js';
import { RevokeSessionCommand } from './revoke-session.handler.js';
import { SESSION_SECONDS } from './session-opener.js';
import { StartTwoFactorCommand } from '../two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorCommand } from '../two-factor/verify-two-factor.handler.js';

const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };
const STEP_MS = 30_000;

let world: Awaited<ReturnType<typeof openWorld>>;
let here: IdentityProcess;

beforeEach(async () => {
  world = await openWorld();
  here = await world.start();
  await here.execute(new DefineTenantCommand(TENANT, anyContext()));
  await here.createUser();
});
afterEach(() => world.end());

const logIn = (data: Partial<LogInCommand['data']> = {}, at: IdentityProcess = here) => {
  const { username, password } = ADA;
  const device = { appName: 'Pocket', deviceInfo: null, scopes: SESSION_SCOPES };
  const all = { username, password, ...device, otpCode: null, ...data };
  return at.execute(new LogInCommand(all, anyContext()));
};

const verify = (tempToken: string, otpCode: string) =>
  here.execute(new VerifyTwoFactorCommand({ tempToken, otpCode }, anyContext()));

const sessionOf = (outcome: Awaited<ReturnType<typeof logIn>>) => {
  if (outcome.kind !== 'session') throw new Error('expected a session');
  return outcome.session;
};

const challengeOf = (outcome: Awaited<ReturnType<typeof logIn>>) => {
  if (outcome.kind !== 'challenge') throw new Error('expected a challenge');
  return outcome.tempToken;
};

/** The code of an authenticator app at the present instant. */
const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: here.clock.now() });

const enrol = async () => {
  const start = new StartTwoFactorCommand(
    { userId: FIRST_ID, password: ADA.password },
    anyContext(),
  );
  const { secret } = await here.execute(start);
  const confirm = new ConfirmTwoFactorCommand(
    { userId: FIRST_ID, otpCode: codeOf(secret) },
    anyContext(),
  );
  const recoveryCodes = await here.execute(confirm);
  here.clock.atMs += 2 * STEP_MS;
  return { secret, recoveryCodes };
};

describe('logging in', () => {
  it('opens a session with its own token and key, for 30 days', async () => {
    const session = sessionOf(await logIn());
    expect(session).toMatchObject({
      user: {
        id: 1,
        username: 'ada',
        email: 'ada@example.com',
        role: 'Partner',
        balanceMicroUsd: 10_000_000n,
        twoFactorEnabled: false,
      },
      tenant: TENANT,
    });
    expect(Date.parse(session.expiresAt)).toBe(here.clock.now() + SESSION_SECONDS * 1_000);
    const byToken = await here.authenticator.authenticate(session.accessToken);
    const byKey = await here.authenticator.authenticate(session.apiKey);
    expect(byToken?.credential.kind).toBe('app_token');
    expect(byKey?.credential).toMatchObject({
      kind: 'api_key',
      sessionId: byToken?.credential.sessionId,
    });
  });

  it('finds the user by a case-insensitive name', async () => {
    expect((await logIn({ username: 'ADA' })).kind).toBe('session');
  });

  it('lists the key under the name of the app until the session ends', async () => {
    const { accessToken } = sessionOf(await logIn());
    const list = async () => {
      const { keys } = await here.ask(new ListApiKeysQuery(FIRST_ID));
      return keys.map(({ name }) => name).sort();
    };
    expect(await list()).toEqual(['Pocket', 'default', 'renter']);
    const caller = await here.authenticator.authenticate(accessToken);
    const sessionId = caller?.credential.id ?? '';
    await here.execute(new RevokeSessionCommand({ sessionId, userId: FIRST_ID }, anyContext()));
    expect(await here.authenticator.authenticate(accessToken)).toBeNull();
    expect(await list()).toEqual(['default', 'renter']);
    await logIn();
    here.clock.atMs += SESSION_SECONDS * 1_000;
    expect(await list()).toEqual(['default', 'renter']);
  });

  it('gives one answer, at one cost, for an unknown user and a wrong password', async () => {
    const errors: unknown[] = [];
    for (const data of [{ username: 'unknown' }, { password: 'wrong' }]) {
      const before = { ...here.argon2 };
      await logIn(data).catch((error: unknown) => errors.push(error));
      expect(here.argon2).toEqual({ ...before, verified: before.verified + 1 });
    }
    expect(errors).toHaveLength(2);
    expect(errors[0]).toEqual(errors[1]);
    expect(errors[0]).toMatchObject({ code: 'invalid_credentials' });
  });
});

describe('two-factor authentication', () => {
  it('is off until a code confirms it', async () => {
    const start = new StartTwoFactorCommand(
      { userId: FIRST_ID, password: ADA.password },
      anyContext(),
    );
    const { secret, keyUri } = await here.execute(start);
    expect(keyUri).toContain(`secret=${secret}`);
    expect((await logIn()).kind).toBe('session');
  });

  it('does not start with a wrong password', async () => {
    const start = new StartTwoFactorCommand({ userId: FIRST_ID, password: 'wrong' }, anyContext());
    await expect(here.execute(start)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
  });

  it('accepts the code with the password', async () => {
    const { secret } = await enrol();
    const session = sessionOf(await logIn({ otpCode: codeOf(secret) }));
    expect(session.user.twoFactorEnabled).toBe(true);
  });

  it('rejects a used code and the code that confirmed it', async () => {
    const { secret } = await enrol();
    const code = codeOf(secret);
    await logIn({ otpCode: code });
    await expect(logIn({ otpCode: code })).rejects.toMatchObject({ code: 'invalid_otp' });
    here.clock.atMs -= STEP_MS;
    await expect(logIn({ otpCode: codeOf(secret) })).rejects.toMatchObject({ code: 'invalid_otp' });
  });

  it('accepts a code once when two processes receive it concurrently', async () => {
    const { secret } = await enrol();
    const there = await world.start(here.clock);
    const code = codeOf(secret);
    const tries = await Promise.allSettled([
      logIn({ otpCode: code }),
      logIn({ otpCode: code }, there),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('answers a challenge once', async () => {
    const { secret } = await enrol();
    const tempToken = challengeOf(await logIn());
    expect(await here.authenticator.authenticate(tempToken)).toBeNull();
    const session = await verify(tempToken, codeOf(secret));
    expect(await here.authenticator.authenticate(session.accessToken)).toMatchObject({ userId: 1 });
    here.clock.atMs += 2 * STEP_MS;
    await expect(verify(tempToken, codeOf(secret))).rejects.toMatchObject({
      code: 'invalid_challenge',
    });
    const { keys } = await here.ask(new ListApiKeysQuery(FIRST_ID));
    expect(keys.map(({ name }) => name)).toContain('Pocket');
  });

  it('expires a challenge', async () => {
    const { secret } = await enrol();
    const tempToken = challengeOf(await logIn());
    here.clock.atMs += CHALLENGE_SECONDS * 1_000;
    await expect(verify(tempToken, codeOf(secret))).rejects.toMatchObject({
      code: 'invalid_challenge',
    });
  });

  it('closes a challenge after five wrong codes', async () => {
    const { secret } = await enrol();
    const tempToken = challengeOf(await logIn());
    for (let wrong = 0; wrong < 5; wrong += 1) {
      await expect(verify(tempToken, 'abcdef')).rejects.toMatchObject({ code: 'invalid_otp' });
    }
    await expect(verify(tempToken, codeOf(secret))).rejects.toMatchObject({
      code: 'invalid_challenge',
    });
  });

  it('accepts each recovery code once, and none of the replaced ones', async () => {
    const { secret, recoveryCodes } = await enrol();
    const [first = '', second = ''] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    await logIn({ otpCode: first.toUpperCase() });
    await expect(logIn({ otpCode: first })).rejects.toMatchObject({ code: 'invalid_otp' });
    const otpCode = codeOf(secret);
    const replace = new ReplaceRecoveryCodesCommand({ userId: FIRST_ID, otpCode }, anyContext());
    const [fresh = ''] = await here.execute(replace);
    await expect(logIn({ otpCode: second })).rejects.toMatchObject({ code: 'invalid_otp' });
    expect((await logIn({ otpCode: fresh })).kind).toBe('session');
  });

  it('is turned off with a code', async () => {
    const { recoveryCodes } = await enrol();
    const otpCode = recoveryCodes[0] ?? '';
    const disable = new DisableTwoFactorCommand({ userId: FIRST_ID, otpCode }, anyContext());
    await here.execute(disable);
    expect((await logIn()).kind).toBe('session');
  });
});
