import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type CommandBus } from '@nestjs/cqrs';
import { DepositFundsCommand } from '#areas/billing/deposit-funds.handler.js';
import { CreateUserCommand } from '#areas/identity/create-user.handler.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { MICRO_USD_PER_USD, toDecimal } from '#platform/kernel/money.js';
import { contextOf } from '#platform/runtime/command-context.js';

const USERNAME = 'demo';
const EMAIL = 'demo@localhost';
const OPENING_CREDIT = 10n * MICRO_USD_PER_USD;
/** A first start that was interrupted is carried on by the next: the same request, the same ids. */
const REQUEST_ID = '6f1d1c1e-4a57-5b0e-9d7a-2f0f6c1b7a10';

/** The credentials of a first start, as `bootstrap.json` keeps them. */
export interface Bootstrap {
  readonly username: string;
  readonly password: string;
  readonly api_key: string;
  readonly renter_key: string;
}

/** Whether anybody can log in yet. */
const hasUsers = async (eventStore: EventStore): Promise<boolean> => {
  const filter = { by: 'stream', prefixes: ['user-'] } as const;
  for await (const page of eventStore.readAll({ filter, maxCount: 1 })) {
    if (page.length > 0) return true;
  }
  return false;
};

/** On a log without users: an administrator with opening credit, told once. */
export const bootstrap = async (
  commands: CommandBus,
  eventStore: EventStore,
  clock: Clock,
  home: string,
): Promise<Bootstrap | undefined> => {
  if (await hasUsers(eventStore)) return undefined;
  const context = contextOf(REQUEST_ID, 'system');
  const user = { username: USERNAME, email: EMAIL, role: 'Admin', password: null };
  const created = await commands.execute(new CreateUserCommand(user, context));
  const deposit = {
    accountId: created.accountId,
    depositId: 'opening-credit',
    amountMicroUsd: toDecimal(OPENING_CREDIT),
    method: 'opening_credit',
    reason: 'opening credit of the first account',
    depositedAt: instant(clock),
  } as const;
  await commands.execute(new DepositFundsCommand(deposit, context));
  const credentials: Bootstrap = {
    username: USERNAME,
    password: created.generatedPassword ?? '',
    api_key: created.apiKey,
    renter_key: created.renterKey,
  };
  const file = path.join(home, 'bootstrap.json');
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return credentials;
};
