import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
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
import { contextOf } from '#platform/runtime/command-context.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { collectionOf } from '#platform/runtime/generations.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { startMongoDb } from '../servers/mongodb/mongodb.server.js';
import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { started, stopServer } from './servers.js';

/** Each account is opened, credited and charged so often, a minute after the other. */
const CHARGES = 8;
const EVENTS_PER_ACCOUNT = 2 + 2 * CHARGES;
const ACCOUNTS = 150;
const ACCOUNTS_QUICK = 40;
/** A file takes so many times the log in less than the server's time. */
const LARGER_LOG = 20;

const FIRST_CHARGE_MS = Date.parse('2026-11-21T05:00:00.000Z');
const MINUTE_MS = 60_000;
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

const opening = (accountId: string): readonly AccountCommand[] => {
  const openedAt = new Date(FIRST_CHARGE_MS).toISOString();
  return [
    { type: 'OpenAccount', data: { accountId, currency: 'USD', openedAt } },
    {
      type: 'DepositFunds',
      data: {
        accountId,
        depositId: 'first',
        amountMicroUsd: '100000000',
        method: 'manual_credit',
        reason: 'bench',
        depositedAt: openedAt,
      },
    },
  ];
};

const charge = (accountId: string, number: number): readonly AccountCommand[] => {
  const holdId = randomUUID();
  const atMs = FIRST_CHARGE_MS + number * MINUTE_MS;
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
        expiresAt: new Date(atMs + MINUTE_MS).toISOString(),
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

const fillAccount = async (accounts: Accounts, accountId: string): Promise<void> => {
  for (const command of opening(accountId))
    await runOnAccount(accounts, command, contextOf(randomUUID(), 'system'));
  for (let number = 0; number < CHARGES; number += 1)
    for (const command of charge(accountId, number))
      await runOnAccount(accounts, command, contextOf(randomUUID(), 'system'));
};

const withEngines = async <Result>(
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

const fillLog = (home: string, count: number): Promise<void> =>
  withEngines({ QUIPU_HOME: home }, async (engines) => {
    const { codec } = new Runtime(engines, areas);
    const { eventStore } = engines;
    const accounts: Accounts = new CommandRunner({
      decider: accountDecider,
      eventStore,
      codec: codec.for(accountEvents),
    });
    const ids = Array.from({ length: count }, (_, index) => String(index + 1));
    await Promise.all(ids.map((id) => fillAccount(accounts, id)));
  });

/** Documents of each projection after the rebuild, the largest collection last. */
const documentsOf = async (
  { projectionHost }: Runtime,
  { readStore }: OpenEngines,
): Promise<readonly number[]> => {
  const stored = await projectionHost.stored();
  const counts = await Promise.all(
    stored.map(async ({ projection, serving }) =>
      serving === null ? 0 : await readStore.count(collectionOf(projection, serving)),
    ),
  );
  return counts.sort((one, other) => one - other);
};

/** All projections at once, as `quipu projections rebuild --all` does it. */
const rebuild = (
  name: string,
  environment: NodeJS.ProcessEnv,
  events: number,
): Promise<readonly Figure[]> =>
  withEngines(environment, async (engines) => {
    const runtime = new Runtime(engines, areas);
    const names = areas.flatMap(({ projections }) => projections.map((one) => one.name));
    const startedAtMs = performance.now();
    await Promise.all(names.map((one) => runtime.projectionHost.rebuild(one)));
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const counts = await documentsOf(runtime, engines);
    const documents = counts.reduce((sum, count) => sum + count, 0);
    const largest = (counts.at(-1) ?? 0).toLocaleString('en');
    const log = `${events.toLocaleString('en')} events`;
    const shown = `${documents.toLocaleString('en')} documents, ${largest} in one collection`;
    const figure = `rebuild on ${name}, ${log}, ${shown}`;
    return [
      { name: figure, value: events / seconds, unit: 'events/s' },
      { name: figure, value: documents / seconds, unit: 'documents/s' },
      { name: figure, value: seconds, unit: 's' },
    ];
  });

interface Log {
  readonly home: string;
  readonly events: number;
}

const newLog = async (directory: string, accounts: number): Promise<Log> => {
  const home = await mkdtemp(path.join(directory, 'rebuild-'));
  await fillLog(home, accounts);
  return { home, events: accounts * EVENTS_PER_ACCOUNT };
};

/** How fast read models are rebuilt from one log, in a file and on a server. */
export const benchRebuild = async ({
  directory,
  isQuick,
}: BenchOptions): Promise<readonly Figure[]> => {
  const accounts = isQuick ? ACCOUNTS_QUICK : ACCOUNTS;
  const [log, larger] = await Promise.all([
    newLog(directory, accounts),
    newLog(directory, accounts * LARGER_LOG),
  ]);
  const figures: Figure[] = [];
  for (const { home, events } of [log, larger])
    figures.push(...(await rebuild('SQLite', { QUIPU_HOME: home }, events)));
  const mongodb = await started(startMongoDb());
  const environment = { QUIPU_HOME: log.home, QUIPU_READ_STORE: mongodb.url };
  figures.push(...(await rebuild('MongoDB wire', environment, log.events)));
  await stopServer(mongodb);
  return figures;
};
