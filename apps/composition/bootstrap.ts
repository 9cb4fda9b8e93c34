import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { type CommandBus } from '@nestjs/cqrs';
import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { accountIdOf } from '#areas/identity/authentication/caller.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { RotateUserKeysCommand } from '#areas/identity/keys/rotate-user-keys.handler.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { MICRO_USD_PER_USD, toDecimal } from '#platform/kernel/money.js';
import { contextOf } from '#platform/runtime/command-context.js';

const USERNAME = 'demo';
const EMAIL = 'demo@localhost';
const OPENING_CREDIT = 10n * MICRO_USD_PER_USD;
const PASSWORD_BYTES = 18;
/** Credentials are for their owner's eyes. */
const OWNER_ONLY = { mode: 0o600 } as const;
/** A first start that another machine began so long ago on the same folder has broken off. */
const ABANDONED_MS = 60_000;

/** The credentials of a first start, as `bootstrap.json` keeps them. */
export interface Bootstrap {
  readonly username: string;
  readonly password: string;
  readonly api_key: string;
  readonly renter_key: string;
}

/** A first start under way: one that breaks off is carried on by the next start on its folder. */
interface Pending {
  readonly requestId: string;
  readonly password: string;
  /** Who is at it. */
  readonly host: string;
  readonly pid: number;
  readonly beganAtMs: number;
}

type Keys = Pick<Bootstrap, 'api_key' | 'renter_key'> & { readonly accountId: string };

/**
 * On a log without users: an administrator with opening credit, told once. Of gateways that start at
 * once on one folder the one that makes the file does it, of others the one that gets the name; the
 * rest find nothing to do.
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
  const credentials: Bootstrap = { username: USERNAME, password: pending.password, ...keys };
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
  if (text !== undefined) return carriedOn(file, JSON.parse(text) as Pending, clock);
  if ((await firstUser(eventStore)) !== undefined) return undefined;
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const pending = mine({ requestId: randomUUID(), password }, clock);
  try {
    await written(file, pending, link);
    return pending;
  } catch (error) {
    // Another process on this folder was quicker.
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

/** Undefined while somebody else is at it. */
const carriedOn = async (
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

/** Whole under its name or not at all: others may read it at any moment. */
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
    // It runs, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const firstUser = async (eventStore: EventStore): Promise<RecordedEvent | undefined> => {
  const filter = { by: 'stream', prefixes: ['user-'] } as const;
  for await (const [first] of eventStore.readAll({ filter, maxCount: 1 })) return first;
  return undefined;
};

/**
 * Keys are shown once, so a start that broke off after they were issued issues new ones. Undefined
 * where another first start has the name.
 */
const administrator = async (
  commands: CommandBus,
  eventStore: EventStore,
  { requestId, password }: Pending,
): Promise<Keys | undefined> => {
  try {
    const user = { username: USERNAME, email: EMAIL, role: 'Admin', password };
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
        { username: USERNAME, keyKind },
        contextOf(randomUUID(), 'system'),
      );
      return commands.execute(command);
    };
    const { userId, secret } = await rotate('user');
    const renter = await rotate('renter');
    return { accountId: accountIdOf(userId), api_key: secret, renter_key: renter.secret };
  }
};
