import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CommandBus } from '@nestjs/cqrs';
import { DepositFundsCommand } from '#areas/billing/deposit-funds.handler.js';
import { accountIdOf } from '#areas/identity/caller.js';
import { CreateUserCommand } from '#areas/identity/create-user.handler.js';
import { RotateUserKeysCommand } from '#areas/identity/rotate-user-keys.handler.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
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

/** The credentials of a first start, as `bootstrap.json` keeps them. */
export interface Bootstrap {
  readonly username: string;
  readonly password: string;
  readonly api_key: string;
  readonly renter_key: string;
}

/** A first start under way: one that breaks off is carried on by the next start. */
interface Pending {
  readonly requestId: string;
  readonly password: string;
}

type Keys = Pick<Bootstrap, 'api_key' | 'renter_key'> & { readonly accountId: string };

/** On a log without users: an administrator with opening credit, told once. */
export const bootstrap = async (
  commands: CommandBus,
  eventStore: EventStore,
  clock: Clock,
  home: string,
): Promise<Bootstrap | undefined> => {
  const pendingFile = path.join(home, 'bootstrap.pending');
  const pending = await pendingStart(pendingFile, eventStore);
  if (!pending) return undefined;
  const { accountId, ...keys } = await administrator(commands, pending);
  const deposit = {
    accountId,
    depositId: 'opening-credit',
    amountMicroUsd: toDecimal(OPENING_CREDIT),
    method: 'opening_credit',
    reason: 'opening credit of the first account',
    depositedAt: instant(clock),
  } as const;
  await commands.execute(new DepositFundsCommand(deposit, contextOf(pending.requestId, 'system')));
  const credentials: Bootstrap = { username: USERNAME, password: pending.password, ...keys };
  await writeFile(
    path.join(home, 'bootstrap.json'),
    `${JSON.stringify(credentials, null, 2)}\n`,
    OWNER_ONLY,
  );
  await rm(pendingFile);
  return credentials;
};

const pendingStart = async (file: string, eventStore: EventStore): Promise<Pending | undefined> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as Pending;
  if (await hasUsers(eventStore)) return undefined;
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const pending: Pending = { requestId: randomUUID(), password };
  await writeFile(file, JSON.stringify(pending), OWNER_ONLY);
  return pending;
};

const hasUsers = async (eventStore: EventStore): Promise<boolean> => {
  const filter = { by: 'stream', prefixes: ['user-'] } as const;
  for await (const page of eventStore.readAll({ filter, maxCount: 1 })) {
    if (page.length > 0) return true;
  }
  return false;
};

/** Keys are shown once, so a start that broke off after they were issued issues new ones. */
const administrator = async (
  commands: CommandBus,
  { requestId, password }: Pending,
): Promise<Keys> => {
  try {
    const user = { username: USERNAME, email: EMAIL, role: 'Admin', password };
    const context = contextOf(requestId, 'system');
    const created = await commands.execute(new CreateUserCommand(user, context));
    const { accountId, apiKey, renterKey } = created;
    return { accountId, api_key: apiKey, renter_key: renterKey };
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'username_taken')) throw error;
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
