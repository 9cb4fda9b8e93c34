import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Global, Module, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { IDENTITY_SETTINGS } from '#areas/identity/identity.settings.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { ProcessEvents } from '#platform/runtime/process-events.js';
import { Areas } from '#platform/runtime/area.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { PlatformModule } from '#platform/runtime/platform.module.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { AnswerStore } from '#platform/idempotency/answer-store.port.js';
import { openSqliteAnswerStore } from '#platform/idempotency/sqlite/sqlite-answer-store.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { Failures } from '../errors/failures.js';
import { createGateway } from '../gateway.application.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiGuard } from './api.guard.js';
import { CurrentCaller } from './caller.decorator.js';
import { IdentityHttpModule } from './identity-http.module.js';
import { Roles } from './roles.decorator.js';

const REGISTRATION = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const PASSWORD = 'correct horse';
const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };

@Controller('api/v1/probe')
class ProbeController {
  @Get('any')
  @UseGuards(ApiGuard)
  any(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }

  @Get('finance')
  @UseGuards(ApiKeyGuard)
  finance(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }

  @Get('partner')
  @UseGuards(ApiGuard)
  @Roles('Partner', 'Admin')
  partner(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }

  @Get('investor')
  @UseGuards(ApiGuard)
  @Roles('Investor', 'Admin')
  investor(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }
}

const openGateway = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'quipu-identity-http-'));
  const eventStore = await openSqliteEventStore({ file: path.join(directory, 'events.db') });
  const readStore = await openSqliteReadStore({ file: path.join(directory, 'views.db') });
  const secrets = await openSecrets({ directory });
  const clock = { atMs: Date.parse('2026-11-21T04:48:00.000Z'), now: () => clock.atMs };
  const logger = pino({ level: 'silent' });
  // This area does not use the bus.
  const bus = {} as Bus;
  const runtime = new Runtime({ eventStore, readStore, bus, clock, logger }, [identityArea]);
  const encryptionKey = secrets.key('idempotency');
  const answers = await openSqliteAnswerStore({
    file: path.join(directory, 'answers.db'),
    encryptionKey,
    clock,
  });
  const values = [
    { provide: AnswerStore, useValue: answers },
    { provide: SECRETS, useValue: secrets },
    { provide: Areas, useValue: new Areas([identityArea]) },
    { provide: ProcessEvents, useValue: new ProcessEvents() },
    { provide: IDENTITY_SETTINGS, useValue: { tenant: TENANT } },
    { provide: AccountOpener, useValue: { open: () => Promise.resolve() } },
    { provide: BalanceReader, useValue: { balanceMicroUsd: () => Promise.resolve(9_700_000n) } },
  ];
  @Global()
  @Module({
    providers: [...values, Failures],
    exports: [...values.map(({ provide }) => provide), Failures],
  })
  class Bindings {}

  // Guards protect routes of every area, so the area is global here as it is in the product.
  @Global()
  @Module({
    imports: [PlatformModule.of(runtime), Bindings, identityArea.module],
    exports: [identityArea.module],
  })
  class IdentityArea {}

  @Module({ imports: [IdentityArea, IdentityHttpModule], controllers: [ProbeController] })
  class Root {}

  await runtime.startProjections();
  const options = { bodyLimitBytes: 65_536, trustProxy: 0 };
  const app = await createGateway({ module: Root }, options, logger);
  return {
    app,
    clock,
    close: async () => {
      await app.close();
      await runtime.stop();
      await answers.close();
      await eventStore.close();
      await readStore.close();
      secrets.close();
      await rm(directory, { recursive: true });
    },
  };
};

let gateway: Awaited<ReturnType<typeof openGateway>>;
let app: NestFastifyApplication;
let keys: { readonly apiKey: string; readonly renterKey: string };

beforeEach(async () => {
  gateway = await openGateway();
  ({ app } = gateway);
  const user = { username: 'ada', email: 'ada@example.com', role: 'Partner', password: PASSWORD };
  const command = new CreateUserCommand(user, contextOf(REGISTRATION, 'spec'));
  keys = await app.get(CommandBus).execute(command);
});
afterEach(() => gateway.close());

const call = async (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  { token, body, headers }: { token?: string; body?: object; headers?: object } = {},
) => {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await app.inject({
    method,
    url,
    headers: { ...authorization, ...headers },
    ...(body && { payload: body }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() };
};

const logIn = (body: object = {}) =>
  call('POST', '/api/v1/auth/login', { body: { username: 'ada', password: PASSWORD, ...body } });
const accessToken = async (): Promise<string> => (await logIn()).body.access_token as string;

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

  it('rejects the address after five failures, even with the correct password', async () => {
    for (let failed = 0; failed < 4; failed += 1) await logIn({ password: 'wrong' });
    const me = await call('GET', '/api/v1/auth/me', { token: 'svc_app_a.b.c' });
    expect(me.status).toBe(401);
    const { status, headers, body } = await logIn();
    expect([status, headers['retry-after'], body.code]).toEqual([429, '300', 'too_many_attempts']);
    gateway.clock.atMs += 300_000;
    expect((await logIn()).status).toBe(200);
  });
});

describe('two-factor authentication over HTTP', () => {
  it('is enrolled, challenged and answered', async () => {
    const token = await accessToken();
    const codeOf = (secret: string): string =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: gateway.clock.atMs });
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
    gateway.clock.atMs += 60_000;
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

  it('is the only credential that its routes accept', async () => {
    const none = await call('GET', '/api/v1/auth/me');
    expect([none.status, none.body.code]).toEqual([401, 'missing_credentials']);
    const other = await call('GET', '/api/v1/auth/me', { token: keys.apiKey });
    expect([other.status, other.body.code]).toEqual([401, 'credential_not_accepted']);
  });
});

describe('guards', () => {
  it('admit every kind, in either header, and a renter key as a renter', async () => {
    for (const token of [keys.apiKey, keys.renterKey, await accessToken()]) {
      const answer = await call('GET', '/api/v1/probe/any', { token });
      expect(answer.body).toMatchObject({ userId: 1, accountId: '1' });
      const byHeader = await call('GET', '/api/v1/probe/any', { headers: { 'x-api-key': token } });
      expect(byHeader.body).toEqual(answer.body);
    }
    const renter = await call('GET', '/api/v1/probe/any', { token: keys.renterKey });
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
    expect((await call('GET', '/api/v1/probe/finance', { token: keys.apiKey })).status).toBe(200);
    for (const token of [keys.renterKey, await accessToken()]) {
      const { status, body } = await call('GET', '/api/v1/probe/finance', { token });
      expect([status, body.code]).toEqual([401, 'credential_not_accepted']);
    }
  });

  it('check roles, and reject a renter key', async () => {
    const partner = (token: string) => call('GET', '/api/v1/probe/partner', { token });
    expect((await partner(keys.apiKey)).status).toBe(200);
    const renter = await partner(keys.renterKey);
    expect([renter.status, renter.body.code]).toEqual([403, 'insufficient_role']);
    const investor = await call('GET', '/api/v1/probe/investor', { token: keys.apiKey });
    expect(investor.status).toBe(403);
  });
});

describe('keys over HTTP', () => {
  it('are issued, rotated, listed and revoked', async () => {
    const token = keys.apiKey;
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
    const request = { token: keys.apiKey, body: { name: 'nightly' }, headers };
    const issued = await call('POST', url, request);
    const again = await call('POST', url, request);
    expect(again.body).toEqual(issued.body);
    expect(again.headers['x-quipu-idempotent-replay']).toBe('true');
    const { id } = issued.body.key as { id: string };
    const rotate = () => call('POST', `${url}/${id}/rotate`, { token: keys.apiKey, headers });
    expect((await rotate()).body.code).toBe('idempotency_conflict');
    headers['idempotency-key'] = 'rotation';
    const rotated = await rotate();
    expect(rotated.status).toBe(201);
    expect((await rotate()).body).toEqual(rotated.body);
    const listed = await call('GET', url, { token: rotated.body.api_key as string });
    expect(listed.body.keys).toHaveLength(3);
  });

  it('cannot be managed with a renter key', async () => {
    const { status } = await call('GET', '/api/v1/auth/keys', { token: keys.renterKey });
    expect(status).toBe(401);
  });
});
