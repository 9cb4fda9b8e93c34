import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Controller, Get, Global, Module, Post, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { AccountOpener } from '#areas/identity/accounts/account-opener.port.js';
import { scopesOfRole } from '#areas/identity/keys/key-policy.js';
import { KeyUses } from '#areas/identity/keys/key-uses.port.js';
import { KeyBudgets } from '#areas/identity/keys/key-budgets.port.js';
import { BalanceReader } from '#areas/identity/accounts/balance-reader.port.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { AppTokens } from '#areas/identity/sessions/app-tokens.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { NO_PROVIDER } from '#areas/identity/openid/openid.fixture.js';
import { TeamRules } from '#areas/identity/openid/team-rules.port.js';
import { OPENID_SETTINGS } from '#areas/identity/openid/openid.settings.js';
import { FLEET_SETTINGS } from '#areas/fleet/fleet.settings.js';
import { IDENTITY_SETTINGS } from '#areas/identity/identity.settings.js';
import { Mailer } from '#platform/mail/mailer.js';
import { SmtpMailer } from '#platform/mail/smtp/smtp-mailer.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { AnswerRecorder } from '#areas/statistics/answer-recorder.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { PlatformModule } from '#platform/runtime/platform.module.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { AnswerStore } from '#platform/idempotency/answer-store.port.js';
import { openSqliteAnswerStore } from '#platform/idempotency/sqlite/sqlite-answer-store.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { UpgradeRoutes } from '../upgrades/upgrade-routes.js';
import { DirectRoutes } from '../direct/direct-routes.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { createGateway } from '../gateway.application.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApiGuard } from './api.guard.js';
import { CurrentCaller } from './caller.decorator.js';
import { IdentityHttpModule } from './identity-http.module.js';
import { RequestRates } from './request-rates.js';
import { Roles } from './roles.decorator.js';
import { Scope } from './scope.decorator.js';

const REGISTRATION = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
/** As settings make them. */
export const ENTRY_POINTS = {
  global: 'https://api.example.org/v1',
  uk: 'https://uk.example.org/v1',
  na: null,
  apac: null,
};

export const PASSWORD = 'correct horse';
/** Above what any other test of the routes needs. */
export const RATES = { perAccount: 90, perKey: 60 };
const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };

/** The fields of all answers; each has some of them. */
type Answer = Readonly<
  Partial<
    Record<
      | 'success'
      | 'code'
      | 'message'
      | 'access_token'
      | 'temp_token'
      | 'api_key'
      | 'key'
      | 'keys'
      | 'user'
      | 'tenant'
      | 'session'
      | 'role'
      | 'secret'
      | 'otpauth_url'
      | 'recovery_codes'
      | 'wrong_codes'
      | 'csrf_token'
      | 'sign_in_rejected'
      | 'has_provider',
      unknown
    >
  >
>;

interface CallOptions {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: object;
  readonly remoteAddress?: string;
}

@Scope('inference')
@Controller('api/v1/probe')
class ProbeController {
  @Get('any')
  @UseGuards(ApiGuard)
  any(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }

  @Get('finance')
  @Scope('read_billing')
  @UseGuards(ApiKeyGuard)
  finance(@CurrentCaller() caller: Caller): Caller {
    return caller;
  }

  @Post('keys')
  @Scope('manage_keys')
  @UseGuards(ApiKeyGuard)
  keys(@CurrentCaller() caller: Caller): Caller {
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
    { provide: Ledger, useValue: new FakeLedger() },
    { provide: AnswerRecorder, useValue: { record: () => undefined } },
    { provide: DirectRoutes, useValue: new DirectRoutes() },
    { provide: UpgradeRoutes, useValue: new UpgradeRoutes(new Failures(new Areas([]))) },
    { provide: FailureLog, useValue: new FailureLog(logger) },
    { provide: RequestRates, useValue: new RequestRates(RATES, clock) },
    { provide: Areas, useValue: new Areas([identityArea]) },
    { provide: ProcessEvents, useValue: new ProcessEvents() },
    { provide: IDENTITY_SETTINGS, useValue: { tenant: TENANT } },
    { provide: OPENID_SETTINGS, useValue: NO_PROVIDER },
    { provide: FLEET_SETTINGS, useValue: { entryPoints: ENTRY_POINTS } },
    { provide: Mailer, useValue: new SmtpMailer(null) },
    { provide: AccountOpener, useValue: { open: () => Promise.resolve() } },
    { provide: KeyBudgets, useValue: { limits: () => Promise.resolve(false) } },
    { provide: TeamRules, useValue: { apply: () => Promise.resolve() } },
    { provide: KeyUses, useValue: { of: () => Promise.resolve(new Map()) } },
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
  const limits = { bodyLimitBytes: 65_536, receivingBytesMax: 262_144, receiveMsMax: 60_000 };
  const options = { ...limits, uploadMsMax: 60_000, uploadIdleMsMax: 60_000, trustProxy: 0 };
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

/** The routes of the area with their guards, on the embedded stores, and one user. */
export const openIdentityHttp = async () => {
  const { app, clock, close } = await openGateway();
  const user = { username: 'ada', email: 'ada@example.com', role: 'Partner', password: PASSWORD };
  const scopes = scopesOfRole('Partner');
  const command = new CreateUserCommand({ ...user, scopes }, contextOf(REGISTRATION, 'spec'));
  const keys = await app.get(CommandBus).execute(command);

  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    { token, body, headers, remoteAddress = '127.0.0.1' }: CallOptions = {},
  ) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await app.inject({
      method,
      url,
      remoteAddress,
      headers: { ...authorization, ...headers },
      ...(body && { payload: body }),
    });
    return { status: reply.statusCode, headers: reply.headers, body: reply.json<Answer>() };
  };

  const logIn = (more: object = {}, remoteAddress?: string) => {
    const body = { username: 'ada', password: PASSWORD, ...more };
    return call('POST', '/api/v1/auth/login', { body, ...(remoteAddress && { remoteAddress }) });
  };

  return {
    clock,
    keys,
    appTokens: app.get(AppTokens, { strict: false }),
    call,
    logIn,
    accessToken: async (): Promise<string> => (await logIn()).body.access_token as string,
    close,
  };
};

export type IdentityHttp = Awaited<ReturnType<typeof openIdentityHttp>>;
