import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { identityEvents } from '#events/identity/identity.events.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type Clock } from '#platform/kernel/clock.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { type CommandContext, contextOf } from '#platform/runtime/command-context.js';
import { EventCodec } from '#platform/runtime/event-codec.js';
import { Projections } from '#platform/runtime/projections.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { apiKeys } from '#projections/identity/api-keys.projection.js';
import { usersByName } from '#projections/identity/users-by-name.projection.js';
import { users } from '#projections/identity/users.projection.js';
import { AccountContextHandler } from './accounts/account-context.handler.js';
import { ConfirmTwoFactorHandler } from './two-factor/confirm-two-factor.handler.js';
import { CreateUserCommand, CreateUserHandler } from './users/create-user.handler.js';
import { DefineTenantHandler } from './tenants/define-tenant.handler.js';
import { DisableTwoFactorHandler } from './two-factor/disable-two-factor.handler.js';
import { EraseUserHandler } from './users/erase-user.handler.js';
import { FindUserByNameHandler } from './users/find-user-by-name.handler.js';
import { buildIdentity, type IdentityServices } from './identity.services.js';
import { IssueApiKeyHandler } from './keys/issue-api-key.handler.js';
import { ListApiKeysHandler } from './keys/list-api-keys.handler.js';
import { LogInHandler } from './sessions/log-in.handler.js';
import { type Argon2, Passwords } from './passwords/passwords.js';
import { ReplaceRecoveryCodesHandler } from './two-factor/replace-recovery-codes.handler.js';
import { RevokeApiKeyHandler } from './keys/revoke-api-key.handler.js';
import { RevokeSessionHandler } from './sessions/revoke-session.handler.js';
import { RotateApiKeyHandler } from './keys/rotate-api-key.handler.js';
import { RotateUserKeysHandler } from './keys/rotate-user-keys.handler.js';
import { StartTwoFactorHandler } from './two-factor/start-two-factor.handler.js';
import { VerifyTwoFactorHandler } from './two-factor/verify-two-factor.handler.js';

export const STARTED_AT_MS = Date.parse('2026-11-21T04:48:00.000Z');

/** A clock that stands still until a spec moves it. */
export const movableClock = (atMs = STARTED_AT_MS) => ({
  atMs,
  now(): number {
    return this.atMs;
  },
});

/** As strong as a spec needs; counts its calls. */
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

/** The area's services on one file of events, as one process has them. */
export const openProcess = async (directory: string, clock = movableClock()) => {
  const file = (name: string): string => path.join(directory, name);
  const eventStore = await openSqliteEventStore({ file: file('events.db') });
  const readStore = await openSqliteReadStore({ file: file('views.db') });
  const secrets = await openSecrets({ directory: file('secrets') });
  const codec = new EventCodec(identityEvents);
  const logger = pino({ level: 'silent' });
  const models = [users, usersByName, apiKeys];
  const projections = new Projections(models, eventStore, readStore, codec, clock, logger);
  await projections.start();
  const argon2 = countedArgon2();
  const services = buildIdentity({
    eventStore,
    codec,
    projections,
    secrets,
    balances: { balanceMicroUsd: () => Promise.resolve(10_000_000n) },
    clock,
    passwords: new Passwords(argon2.load),
  });
  const openedAccounts: string[] = [];
  return {
    ...services,
    clock,
    eventStore,
    projections,
    secrets,
    codec,
    argon2: argon2.counts,
    openedAccounts,
    handlers: handlersOf(services, projections, clock, openedAccounts),
    createUser(data: Partial<CreateUserCommand['data']> = {}, context = anyContext()) {
      return this.handlers.createUser.execute(new CreateUserCommand({ ...ADA, ...data }, context));
    },
    close: async () => {
      await projections.stop();
      await eventStore.close();
      await readStore.close();
      secrets.close();
    },
  };
};

export const ADA = {
  username: 'ada',
  email: 'ada@example.com',
  role: 'Partner',
  password: 'correct horse',
} as const;

const handlersOf = (
  services: IdentityServices,
  projections: Projections,
  clock: Clock,
  openedAccounts: string[],
) => ({
  ...userHandlersOf(services, projections, clock, openedAccounts),
  ...keyHandlersOf(services),
  ...sessionHandlersOf(services, clock),
  ...twoFactorHandlersOf(services, clock),
});

const userHandlersOf = (
  services: IdentityServices,
  projections: Projections,
  clock: Clock,
  openedAccounts: string[],
) => {
  const { streams, personalData, names, passwords, userIds, keyRing } = services;
  const { userDirectory, apiKeyList, authenticator } = services;
  const accounts = {
    open: (accountId: string) => {
      openedAccounts.push(accountId);
      return Promise.resolve();
    },
  };
  return {
    createUser: new CreateUserHandler(
      streams,
      names,
      passwords,
      personalData,
      userIds,
      keyRing,
      accounts,
      clock,
    ),
    eraseUser: new EraseUserHandler(
      streams,
      userDirectory,
      personalData,
      apiKeyList,
      keyRing,
      authenticator,
      clock,
    ),
    findUserByName: new FindUserByNameHandler(projections, names, personalData),
    defineTenant: new DefineTenantHandler(streams, clock),
  };
};

const keyHandlersOf = ({ apiKeyList, keyRing, personalData, userDirectory }: IdentityServices) => ({
  issueApiKey: new IssueApiKeyHandler(apiKeyList, keyRing),
  listApiKeys: new ListApiKeysHandler(apiKeyList, personalData),
  revokeApiKey: new RevokeApiKeyHandler(apiKeyList, keyRing),
  rotateApiKey: new RotateApiKeyHandler(apiKeyList, keyRing, personalData),
  rotateUserKeys: new RotateUserKeysHandler(userDirectory, apiKeyList, keyRing),
});

const sessionHandlersOf = (services: IdentityServices, clock: Clock) => {
  const { streams, personalData, accountViews, authenticator } = services;
  const { passwordCheck, secondFactorCheck, sessionOpener } = services;
  return {
    logIn: new LogInHandler(
      passwordCheck,
      secondFactorCheck,
      sessionOpener,
      streams,
      personalData,
      clock,
    ),
    verifyTwoFactor: new VerifyTwoFactorHandler(
      streams,
      secondFactorCheck,
      sessionOpener,
      accountViews,
      personalData,
      clock,
    ),
    revokeSession: new RevokeSessionHandler(streams, authenticator, clock),
    accountContext: new AccountContextHandler(streams, accountViews, personalData),
  };
};

const twoFactorHandlersOf = (services: IdentityServices, clock: Clock) => {
  const { streams, accountViews, secondFactors, passwordCheck, personalData } = services;
  return {
    startTwoFactor: new StartTwoFactorHandler(
      streams,
      passwordCheck,
      secondFactors,
      personalData,
      clock,
    ),
    confirmTwoFactor: new ConfirmTwoFactorHandler(streams, accountViews, secondFactors, clock),
    disableTwoFactor: new DisableTwoFactorHandler(streams, accountViews, secondFactors, clock),
    replaceRecoveryCodes: new ReplaceRecoveryCodesHandler(
      streams,
      accountViews,
      secondFactors,
      clock,
    ),
  };
};

export type IdentityProcess = Awaited<ReturnType<typeof openProcess>>;

/** A directory for one spec, and as many processes on it as the spec wants. */
export const openWorld = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'quipu-identity-'));
  const processes: IdentityProcess[] = [];
  return {
    directory,
    start: async (clock = movableClock()) => {
      const process = await openProcess(directory, clock);
      processes.push(process);
      return process;
    },
    end: async () => {
      await Promise.all(processes.map((process) => process.close()));
      await rm(directory, { recursive: true });
    },
  };
};
