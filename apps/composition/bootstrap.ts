import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { type CommandBus } from '@nestjs/cqrs';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { accountIdOf } from '#areas/identity/authentication/caller.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { RotateUserKeysCommand } from '#areas/identity/keys/rotate-user-keys.handler.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { MICRO_USD_PER_USD, toDecimal } from '#platform/kernel/money.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';

const USERNAME = 'demo';
const EMAIL = 'demo@localhost';
const KEY_NAME = 'bootstrap';
const OPENING_CREDIT = 10n * MICRO_USD_PER_USD;
const PASSWORD_BYTES = 18;
/** Only the owner of the file can read the credentials. */
const OWNER_ONLY = { mode: 0o600 } as const;
/** A first start on another machine counts as abandoned after this time. */
const ABANDONED_MS = 60_000;

/** The content of `bootstrap.json`: the credentials of a first start. */
export interface Bootstrap {
  readonly username: string;
  readonly password: string;
  readonly api_key: string;
  /** Of the API key: it may do everything. */
  readonly api_key_scopes: readonly string[];
  readonly renter_key: string;
}

/** The content of `bootstrap.pending`. The next start in the folder resumes an interrupted one. */
interface Pending {
  readonly requestId: string;
  readonly password: string;
  /** The machine that runs this first start. */
  readonly host: string;
  readonly pid: number;
  readonly beganAtMs: number;
}

type Keys = Pick<Bootstrap, 'api_key' | 'renter_key'> & { readonly accountId: string };

/**
 * Creates the first administrator, with opening credit, on a log without users. Only one of several
 * concurrent starts does so: the one that creates the pending file in a shared folder, otherwise
 * the one that registers the name.
 * @returns undefined if there is a user, or another start is creating one
 */
export const bootstrap = async (
  commands: CommandBus,
  eventStore: EventStore,
  clock: Clock,
  home: string,
): Promise<Bootstrap | undefined> => {
  const pendingFile = path.join(home, 'bootstrap.pending');
  const pending = await pendingStart(pendingFile, eventStore, clock);
  if (!pending) return undefined;
  const administrated = await administrator(commands, eventStore, pending);
  if (!administrated) {
    await rm(pendingFile);
    return undefined;
  }
  const { accountId, ...keys } = administrated;
  const deposit = {
    accountId,
    depositId: 'opening-credit',
    amountMicroUsd: toDecimal(OPENING_CREDIT),
    method: 'opening_credit',
    reason: 'opening credit of the first account',
    depositedAt: instant(clock),
  } as const;
  const change = { type: 'DepositFunds', data: deposit } as const;
  await commands.execute(new ChangeAccountCommand(change, contextOf(pending.requestId, 'system')));
  const credentials: Bootstrap = {
    username: USERNAME,
    password: pending.password,
    ...keys,
    api_key_scopes: SCOPES,
  };
  await writeFile(
    path.join(home, 'bootstrap.json'),
    `${JSON.stringify(credentials, null, 2)}\n`,
    OWNER_ONLY,
  );
  await rm(pendingFile);
  return credentials;
};

const pendingStart = async (
  file: string,
  eventStore: EventStore,
  clock: Clock,
): Promise<Pending | undefined> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return resumed(file, JSON.parse(text) as Pending, clock);
  if ((await firstUser(eventStore)) !== undefined) return undefined;
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const pending = mine({ requestId: randomUUID(), password }, clock);
  try {
    await written(file, pending, link);
    return pending;
  } catch (error) {
    // Another process created the file first.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
};

const mine = (start: Pick<Pending, 'requestId' | 'password'>, clock: Clock): Pending => ({
  requestId: start.requestId,
  password: start.password,
  host: hostname(),
  pid: process.pid,
  beganAtMs: clock.now(),
});

/** Undefined while another process runs the first start. */
const resumed = async (
  file: string,
  pending: Pending,
  clock: Clock,
): Promise<Pending | undefined> => {
  const isElsewhere = pending.host !== hostname();
  const isUnderWay = isElsewhere
    ? clock.now() - pending.beganAtMs < ABANDONED_MS
    : pending.pid !== process.pid && isRunning(pending.pid);
  if (isUnderWay) return undefined;
  const taken = mine(pending, clock);
  await written(file, taken, rename);
  return taken;
};

/** Creates the file atomically, since other processes may read it at any moment. */
const written = async (
  file: string,
  pending: Pending,
  name: (fresh: string, file: string) => Promise<void>,
): Promise<void> => {
  const fresh = `${file}.${randomUUID()}`;
  await writeFile(fresh, JSON.stringify(pending), OWNER_ONLY);
  try {
    await name(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const firstUser = async (eventStore: EventStore): Promise<RecordedEvent | undefined> => {
  const filter = { by: 'stream', prefixes: ['user-'] } as const;
  for await (const [first] of eventStore.readAll({ filter, maxCount: 1 })) return first;
  return undefined;
};

/**
 * Keys are shown only once, so the retry of a start that issued keys issues new ones. Undefined if
 * another first start has registered the name.
 */
const administrator = async (
  commands: CommandBus,
  eventStore: EventStore,
  { requestId, password }: Pending,
): Promise<Keys | undefined> => {
  try {
    const key = { keyName: KEY_NAME, scopes: SCOPES };
    const user = { username: USERNAME, email: EMAIL, role: 'Admin', password, ...key };
    const context = contextOf(requestId, 'system');
    const created = await commands.execute(new CreateUserCommand(user, context));
    const { accountId, apiKey, renterKey } = created;
    return { accountId, api_key: apiKey, renter_key: renterKey };
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'username_taken')) throw error;
    const first = await firstUser(eventStore);
    if (first?.metadata.requestId !== requestId) return undefined;
    const rotate = async (keyKind: 'user' | 'renter') => {
      const command = new RotateUserKeysCommand(
        { username: USERNAME, keyKind, ...(keyKind === 'user' && { scopes: SCOPES }) },
        contextOf(randomUUID(), 'system'),
      );
      return commands.execute(command);
    };
    const { userId, secret } = await rotate('user');
    const renter = await rotate('renter');
    return { accountId: accountIdOf(userId), api_key: secret, renter_key: renter.secret };
  }
};
