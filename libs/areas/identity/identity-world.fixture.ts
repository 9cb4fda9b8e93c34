import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DynamicModule, Module, type ValueProvider } from '@nestjs/common';
import { type Command, CommandBus, CqrsModule, type Query, QueryBus } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import { type TeamGrant } from '#events/identity/group-rule.events.js';
import { teamEvents } from '#events/teams/team.events.js';
import { identityEvents } from '#events/identity/identity.events.js';
import { UserId } from '#events/vocabulary.js';
import { Mailer } from '#platform/mail/mailer.js';
import { SmtpMailer } from '#platform/mail/smtp/smtp-mailer.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { ProjectionHost } from '#platform/runtime/projections/projection-host.js';
import { Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, CODEC, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { sessions } from '#projections/identity/sessions.projection.js';
import { AccountOpener } from './accounts/account-opener.port.js';
import { BalanceReader } from './accounts/balance-reader.port.js';
import { Authenticator } from './authentication/authenticator.js';
import { IdentityModule } from './identity.module.js';
import { IDENTITY_SETTINGS } from './identity.settings.js';
import { IdentityStreams } from './identity.streams.js';
import { BrowserSignIns } from './openid/browser-sign-ins.js';
import { Machines } from './openid/machines.js';
import { NO_PROVIDER } from './openid/openid.fixture.js';
import { OPENID_SETTINGS, type OpenIdSettings } from './openid/openid.settings.js';
import { KeyBudgets } from './keys/key-budgets.port.js';
import { TeamRules } from './openid/team-rules.port.js';
import { KeyUses } from './keys/key-uses.port.js';
import { KeyRing } from './keys/key-ring.js';
import { NameIndex } from './names/name-index.js';
import { type Argon2, Passwords } from './passwords/passwords.js';
import { AppTokens } from './sessions/app-tokens.js';
import { CreateUserCommand } from './users/create-user.handler.js';
import { PersonalData } from './users/personal-data.js';

const BALANCE = 10_000_000n;
export const STARTED_AT_MS = Date.parse('2026-11-21T04:48:00.000Z');

/** A clock that moves only when a spec moves it. */
export const movableClock = (atMs = STARTED_AT_MS) => ({
  atMs,
  now(): number {
    return this.atMs;
  },
});

/** A fake argon2 that counts its calls. */
export const countedArgon2 = () => {
  const counts = { hashed: 0, verified: 0 };
  const argon2: Argon2 = {
    hash: (password) => {
      counts.hashed += 1;
      return Promise.resolve(`hash of ${password}`);
    },
    verify: (phc, password) => {
      counts.verified += 1;
      return Promise.resolve(phc === `hash of ${password}`);
    },
  };
  return { counts, load: () => Promise.resolve(argon2) };
};

export const anyContext = (): CommandContext => contextOf(randomUUID(), 'spec');

/** The id of the first user of a world. */
export const FIRST_ID = UserId.parse(1);

export const ADA = {
  username: 'ada',
  email: 'ada@example.com',
  role: 'Partner',
  password: 'correct horse',
} as const;

/** The id under which a key with a budget counts. */
export const LIMITED_LINE = '2b9ac6a26d6d9ca1';
const BUDGETS: KeyBudgets = { limits: (_, line) => Promise.resolve(line === LIMITED_LINE) };

const TENANT = { name: 'Quipu', primaryColor: '#7a3e1d', baseUrl: 'http://127.0.0.1:8080' };

/** The area as one process runs it, on the event log in a directory. */
export const openProcess = async (
  directory: string,
  clock = movableClock(),
  openid: OpenIdSettings = NO_PROVIDER,
) => {
  const file = (name: string): string => path.join(directory, name);
  const eventStore = await openSqliteEventStore({ file: file('events.db') });
  const readStore = await openSqliteReadStore({ file: file('views.db') });
  const secrets = await openSecrets({ directory: file('secrets') });
  const codec = new EventCodec([...identityEvents, ...teamEvents]);
  const logger = pino({ level: 'silent' });
  const host = new ProjectionHost([apiKeys, sessions], eventStore, readStore, codec, clock, logger);
  const projections = new Projections(host, eventStore, readStore);
  await host.start();
  const [openedAccounts, appliedTeams]: [string[], (readonly TeamGrant[])[]] = [[], []];
  const argon2 = countedArgon2();
  const module = await Test.createTestingModule({
    imports: [
      CqrsModule.forRoot(),
      IdentityModule,
      globalModule([
        { provide: EVENT_STORE, useValue: eventStore },
        { provide: CODEC, useValue: codec },
        { provide: PROJECTIONS, useValue: projections },
        { provide: CLOCK, useValue: clock },
        { provide: SECRETS, useValue: secrets },
        { provide: IDENTITY_SETTINGS, useValue: { tenant: TENANT } },
        { provide: Mailer, useValue: new SmtpMailer(null) },
        { provide: OPENID_SETTINGS, useValue: openid },
        { provide: AccountOpener, useValue: accountsIn(openedAccounts) },
        { provide: KeyBudgets, useValue: BUDGETS },
        { provide: TeamRules, useValue: teamRulesIn(appliedTeams) },
        { provide: KeyUses, useValue: { of: () => Promise.resolve(new Map()) } },
        { provide: BalanceReader, useValue: { balanceMicroUsd: () => Promise.resolve(BALANCE) } },
      ]),
    ],
  })
    .overrideProvider(Passwords)
    .useValue(new Passwords(argon2.load))
    .compile();
  await module.init();
  const [commands, queries] = [module.get(CommandBus), module.get(QueryBus)];
  return {
    clock,
    eventStore,
    codec,
    appTokens: module.get(AppTokens),
    authenticator: module.get(Authenticator),
    keyRing: module.get(KeyRing),
    names: module.get(NameIndex),
    machines: module.get(Machines),
    signIns: module.get(BrowserSignIns),
    personalData: module.get(PersonalData),
    streams: module.get(IdentityStreams),
    argon2: argon2.counts,
    openedAccounts,
    appliedTeams,
    execute: <Result>(command: Command<Result>): Promise<Result> => commands.execute(command),
    ask: <Result>(query: Query<Result>): Promise<Result> => queries.execute(query),
    createUser: (data: Partial<CreateUserCommand['data']> = {}, context = anyContext()) =>
      commands.execute(new CreateUserCommand({ ...ADA, ...data }, context)),
    close: async () => {
      await module.close();
      await host.stop();
      await eventStore.close();
      await readStore.close();
      secrets.close();
    },
  };
};

@Module({})
class Platform {}

const globalModule = (providers: ValueProvider[]): DynamicModule => ({
  module: Platform,
  global: true,
  providers,
  exports: providers.map(({ provide }) => provide),
});

const teamRulesIn = (applied: (readonly TeamGrant[])[]): TeamRules => ({
  apply: (_, granted) => {
    applied.push(granted);
    return Promise.resolve();
  },
});

const accountsIn = (opened: string[]): AccountOpener => ({
  open: (accountId) => {
    opened.push(accountId);
    return Promise.resolve();
  },
});

export type IdentityProcess = Awaited<ReturnType<typeof openProcess>>;

/** A directory for one spec and any number of processes on it. */
export const openWorld = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'quipu-identity-'));
  const processes: IdentityProcess[] = [];
  return {
    directory,
    start: async (clock = movableClock(), openid?: OpenIdSettings) => {
      const process = await openProcess(directory, clock, openid);
      processes.push(process);
      return process;
    },
    end: async () => {
      await Promise.all(processes.map((process) => process.close()));
      await rm(directory, { recursive: true });
    },
  };
};
