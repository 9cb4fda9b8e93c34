import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { type IdentityHttp, openIdentityHttp, PASSWORD } from './identity-http.fixture.js';

let http: IdentityHttp;

beforeEach(async () => {
  http = await openIdentityHttp();
});
afterEach(() => http.close());

const call: IdentityHttp['call'] = (...request) => http.call(...request);
const logIn: IdentityHttp['logIn'] = (...request) => http.logIn(...request);
const accessToken = () => http.accessToken();

describe('two-factor authentication over HTTP', () => {
  const codeOf = (secret: string): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: http.clock.atMs });

  /** @returns the secret of the authenticator app */
  const enrol = async (): Promise<string> => {
    const token = await accessToken();
    const body = { password: PASSWORD };
    const enrolled = await call('POST', '/api/v1/auth/2fa/enrol', { token, body });
    const secret = enrolled.body.secret as string;
    await call('POST', '/api/v1/auth/2fa/confirm', { token, body: { otp_code: codeOf(secret) } });
    http.clock.atMs += 60_000;
    return secret;
  };

  it('is enrolled, challenged and answered', async () => {
    const token = await accessToken();
    const enrolled = await call('POST', '/api/v1/auth/2fa/enrol', {
      token,
      body: { password: PASSWORD },
    });
    const secret = enrolled.body.secret as string;
    expect(enrolled.body.otpauth_url).toContain('otpauth://totp/Quipu:ada');
    const confirmed = await call('POST', '/api/v1/auth/2fa/confirm', {
      token,
      body: { otp_code: codeOf(secret) },
    });
    expect(confirmed.body.recovery_codes).toHaveLength(10);
    http.clock.atMs += 60_000;
    const { status, body: challenge } = await logIn();
    expect(status).toBe(200);
    expect(challenge).toEqual({
      success: false,
      '2fa_required': true,
      temp_token: expect.stringMatching(/^svc_2fa_/),
      message: expect.stringContaining('/api/v1/auth/verify_2fa'),
      expires_in: 300,
    });
    const { temp_token } = challenge;
    const wrong = { temp_token, otp_code: 'abcdef' };
    const rejected = await call('POST', '/api/v1/auth/verify_2fa', { body: wrong });
    expect([rejected.status, rejected.body.code]).toEqual([401, 'invalid_otp']);
    const right = { temp_token, otp_code: codeOf(secret) };
    const verified = await call('POST', '/api/v1/auth/verify_2fa', { body: right });
    expect(verified.body).toMatchObject({ success: true, user: { twofa_enabled: true } });
    const again = await call('POST', '/api/v1/auth/verify_2fa', { body: right });
    expect([again.status, again.body.code]).toEqual([401, 'invalid_challenge']);
  });

  it('is answered for the console, whose cookie has the session', async () => {
    const secret = await enrol();
    const { body: challenge } = await logIn();
    const body = { temp_token: challenge.temp_token, otp_code: codeOf(secret) };
    const headers = { 'sec-fetch-site': 'same-origin' };
    const path = '/api/v1/auth/console_session/challenge';
    const answered = await call('POST', path, { headers, body });
    expect(answered.headers['set-cookie']).toMatch(/^__Host-quipu-console=svc_con_/);
    expect(answered.body).toMatchObject({ success: true, user: { username: 'ada' } });
    const cookie = String(answered.headers['set-cookie']).split(';', 1)[0];
    const page = { ...headers, cookie, 'x-csrf-token': String(answered.body.csrf_token) };
    http.clock.atMs += 60_000;
    const confirm = async (code: object) => {
      const confirmation = { password: PASSWORD, ...code };
      const to = '/api/v1/auth/console_session/confirmation';
      return (await call('POST', to, { headers: page, body: confirmation })).body;
    };
    expect(await confirm({})).toEqual({ success: false, '2fa_required': true });
    expect(await confirm({ otp_code: 'abcdef' })).toMatchObject({ code: 'invalid_otp' });
    expect(await confirm({ otp_code: codeOf(secret) })).toMatchObject({ success: true });
  });

  it('counts the wrong codes from all addresses and challenges, and reports them', async () => {
    const secret = await enrol();
    let address = 0;
    /** Each request comes from another address, for a new challenge. */
    const guess = async (otpCode: () => string) => {
      const remoteAddress = `192.0.2.${(address += 1)}`;
      const { body } = await logIn({}, remoteAddress);
      const answer = { temp_token: body.temp_token as string, otp_code: otpCode() };
      return call('POST', '/api/v1/auth/verify_2fa', { body: answer, remoteAddress });
    };
    for (let wrong = 0; wrong < 10; wrong += 1) {
      const { status, body } = await guess(() => 'abcdef');
      expect([status, body.code]).toEqual([401, 'invalid_otp']);
    }
    for (const otpCode of [() => 'abcdef', () => codeOf(secret)]) {
      const { status, headers, body } = await guess(otpCode);
      expect([status, headers['retry-after'], body.code]).toEqual([
        429,
        '60',
        'too_many_wrong_codes',
      ]);
    }
    const withPassword = await logIn({ otp_code: codeOf(secret) }, '198.51.100.1');
    expect([withPassword.status, withPassword.headers['retry-after']]).toEqual([429, '60']);
    http.clock.atMs += 60_000;
    const { status, body } = await guess(() => codeOf(secret));
    expect(status).toBe(200);
    expect(body.wrong_codes).toEqual({ count: 10, last_at: '2026-11-21 04:49:00' });
    http.clock.atMs += 60_000;
    const next = await logIn({ otp_code: codeOf(secret) });
    expect(next.status).toBe(200);
    expect(next.body).not.toHaveProperty('wrong_codes');
  });

  it('checks no more codes of a burst than of a sequence', async () => {
    await enrol();
    const guess = (_: unknown, n: number) =>
      logIn({ otp_code: 'abcdef' }, `192.0.2.${n + 1}`).then(({ status }) => status);
    const statuses = await Promise.all(Array.from({ length: 40 }, guess));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });
});
