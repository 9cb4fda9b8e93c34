import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { areas } from '#apps/composition/areas.js';
import { type OpenEngines, openEngines } from '#apps/composition/engines.js';
import { readSettings } from '#apps/composition/settings.js';
import { accountEvents } from '#events/billing/account.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type AccountCommand, accountDecider } from '#areas/billing/account.decider.js';
import { type Accounts } from '#areas/billing/accounts.js';
import { runOnAccount } from '#areas/billing/run-on-account.js';
import { systemClock } from '#platform/kernel/clock.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { Runtime } from '#platform/runtime/runtime.js';

export interface ChatLog {
  readonly accounts: number;
  /** Of each account: a hold and its charge. */
  readonly charges: number;
  /** From one to the next of an account. */
  readonly everyMs: number;
}

/** Events of each account: it is opened, credited and charged. */
export const eventsOf = (charges: number): number => 2 + 2 * charges;

/** Charges of an account that are decided together, so that they share appends. */
const CHARGES_AT_ONCE = 100;
/** Accounts that are filled at once. */
const ACCOUNTS_AT_ONCE = 16;

const FIRST_CHARGE_MS = Date.parse('2026-11-21T05:00:00.000Z');
/** The purpose of a hold. */
const HELD_MS = 60_000;
const HASH = 'a1'.repeat(32);

const linesOf = (outputTokens: number): PriceLine[] => [
  { meter: 'input_tokens', quantity: 24, unitPriceMicroUsd: '150000', perUnits: 1_000_000 },
  {
    meter: 'output_tokens',
    quantity: outputTokens,
    unitPriceMicroUsd: '600000',
    perUnits: 1_000_000,
  },
];

export const opening = (accountId: string): readonly AccountCommand[] => {
  const openedAt = new Date(FIRST_CHARGE_MS).toISOString();
  return [
    { type: 'OpenAccount', data: { accountId, currency: 'USD', openedAt } },
    {
      type: 'DepositFunds',
      data: {
        accountId,
        depositId: 'first',
        amountMicroUsd: '1000000000000',
        method: 'manual_credit',
        reason: 'bench',
        depositedAt: openedAt,
      },
    },
  ];
};

/** A hold and its charge. */
export const chat = (
  accountId: string,
  atMs: number,
  holdId: string = randomUUID(),
): readonly [AccountCommand, AccountCommand] => {
  const at = new Date(atMs).toISOString();
  return [
    {
      type: 'PlaceHold',
      data: {
        accountId,
        holdId,
        purpose: 'chat_completion',
        lines: linesOf(64),
        rateCardVersion: 1,
        group: 'inference',
        evidence: { modelAsked: 'acme/llama-70b' },
        placedAt: at,
        expiresAt: new Date(atMs + HELD_MS).toISOString(),
        shrink: null,
      },
    },
    {
      type: 'CaptureHold',
      data: {
        accountId,
        holdId,
        purpose: 'chat_completion',
        rig: 'bench',
        lines: linesOf(20),
        usageSource: 'provider',
        excess: [],
        outcome: 'completed',
        evidence: {
          models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: 'llama-70b' },
          attempts: 1,
          promptHash: HASH,
          replyHash: HASH,
        },
        capturedAt: at,
      },
    },
  ];
};

const fillAccount = async (
  accounts: Accounts,
  accountId: string,
  { charges, everyMs }: Omit<ChatLog, 'accounts'>,
): Promise<void> => {
  const run = (command: AccountCommand): Promise<unknown> =>
    runOnAccount(accounts, command, contextOf(randomUUID(), 'system'));
  for (const command of opening(accountId)) await run(command);
  for (let from = 0; from < charges; from += CHARGES_AT_ONCE) {
    const count = Math.min(CHARGES_AT_ONCE, charges - from);
    const commands = Array.from({ length: count }, (_, index) =>
      chat(accountId, FIRST_CHARGE_MS + (from + index) * everyMs),
    );
    await Promise.all(commands.flat().map(run));
  }
};

/** The stores of a home, without a server on them. */
export const withEngines = async <Result>(
  environment: NodeJS.ProcessEnv,
  work: (engines: OpenEngines) => Promise<Result>,
): Promise<Result> => {
  const settings = readSettings(environment);
  const engines = await openEngines(settings, systemClock, pino({ level: 'silent' }));
  try {
    return await work(engines);
  } finally {
    await engines.close();
  }
};

/** Appends the events of chats of some accounts, as their decider makes them. */
export const fillAccounts = async (
  eventStore: EventStore,
  codec: EventCodec,
  accountIds: Iterable<string>,
  log: Omit<ChatLog, 'accounts'>,
): Promise<void> => {
  const accounts: Accounts = new CommandRunner({
    decider: accountDecider,
    eventStore,
    codec: codec.for(accountEvents),
  });
  const ids = [...accountIds].values();
  const fill = async (): Promise<void> => {
    for (const id of ids) await fillAccount(accounts, id, log);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, fill));
};

export const fillLog = (home: string, { accounts, ...log }: ChatLog): Promise<void> =>
  withEngines({ QUIPU_HOME: home }, (engines) => {
    const { codec } = new Runtime(engines, areas);
    const ids = Array.from({ length: accounts }, (_, index) => String(index + 1));
    return fillAccounts(engines.eventStore, codec, ids, log);
  });
