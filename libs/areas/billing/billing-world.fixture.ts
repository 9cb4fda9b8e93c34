import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { accountEvents } from '#events/billing/account.events.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { countedPlaces } from '#platform/runtime/history/log-places.js';
import { ProjectionHost } from '#platform/runtime/projections/projection-host.js';
import { Projections } from '#platform/runtime/projections/projections.js';
import { Snapshots } from '#platform/runtime/commands/snapshots.js';
import { Products } from '#platform/ledger/product.js';
import { spend } from '#projections/requests/spend.projection.js';
import { type AccountCommand, accountDecider } from './account.decider.js';
import { AccountLedger } from './account-ledger.js';
import { accountSnapshots } from './account.snapshot.js';
import { rental, translation } from './account.fixture.js';
import { type Accounts } from './accounts.js';
import { AccountOverviewHandler, AccountOverviewQuery } from './account-overview.handler.js';
import { billingArea } from './billing.area.js';
import { ChangeAccountCommand, ChangeAccountHandler } from './change-account.handler.js';
import { CheckLedgerHandler, CheckLedgerQuery } from './check-ledger.handler.js';
import {
  ExplainRequestHandler,
  ExplainRequestQuery,
} from './explanations/explain-request.handler.js';
import { LedgerEventsHandler, LedgerEventsQuery } from './ledger-events.handler.js';
import { OpenHoldsHandler, OpenHoldsQuery } from './open-holds.handler.js';
import { RejectionMemory } from './explanations/rejection-memory.js';
import { InvoicesHandler, InvoicesQuery } from './invoices.handler.js';
import { StatementHandler, StatementQuery } from './statements/statement.handler.js';
import { type WaitingSettings } from './waiting/waiting.settings.js';

/** The area on real stores in a directory of its own, as one process has it. */
export const openBilling = async (
  clock = { now: () => Date.parse('2026-11-21T05:00:00.000Z') },
  waiting: WaitingSettings = { waitMsMax: 0 },
) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'quipu-billing-'));
  const eventStore = await openSqliteEventStore({ file: path.join(directory, 'events.db') });
  const readStore = await openSqliteReadStore({ file: path.join(directory, 'views.db') });
  const codec = new EventCodec(accountEvents);
  const accounts: Accounts = new CommandRunner({
    decider: accountDecider,
    eventStore,
    codec: codec.for(accountEvents),
    snapshots: { store: new Snapshots(readStore), plan: accountSnapshots },
  });
  const logger = pino({ level: 'silent' });
  // The check of the ledger reads the spend, which the area of requests declares.
  const all = [...billingArea.projections, spend];
  const host = new ProjectionHost(all, eventStore, readStore, codec, clock, logger);
  const projections = new Projections(host, eventStore, readStore);
  await host.start();
  const overview = new AccountOverviewHandler(projections);
  const invoices = new InvoicesHandler(projections);
  const check = new CheckLedgerHandler(eventStore, codec, projections, eventStore.chain ?? null);
  const products = new Products([translation, rental]);
  const changing = new ChangeAccountHandler(accounts, eventStore, codec);
  const rejections = new RejectionMemory(readStore, clock);
  const places = countedPlaces(() => eventStore.head());
  const explaining = new ExplainRequestHandler(eventStore, codec, places, rejections, projections);
  const following = new LedgerEventsHandler(eventStore, codec, places);
  return {
    /** Of the log. */
    file: path.join(directory, 'events.db'),
    eventStore,
    readStore,
    codec,
    accounts,
    /** As a process that starts on the same stores has it. */
    restarted: (): Accounts =>
      new CommandRunner({
        decider: accountDecider,
        eventStore,
        codec: codec.for(accountEvents),
        snapshots: { store: new Snapshots(readStore), plan: accountSnapshots },
      }),
    ledger: new AccountLedger(accounts, eventStore, codec, products, rejections, waiting, clock),
    rejections,
    explain: (requestId: string, accountId: string | null = null, asOf?: AsOf) =>
      explaining.execute(new ExplainRequestQuery(requestId, accountId, asOf)),
    events: (accountId: string, after: bigint | null) =>
      following.execute(new LedgerEventsQuery(accountId, after)),
    openHolds: (accountId: string) =>
      new OpenHoldsHandler(accounts).execute(new OpenHoldsQuery(accountId)),
    run: (command: AccountCommand) =>
      changing.execute(new ChangeAccountCommand(command, contextOf(randomUUID(), 'spec'))),
    projections,
    statement: (accountId: string, month: string) =>
      new StatementHandler(projections).execute(new StatementQuery(accountId, month)),
    overview: (accountId: string) => overview.execute(new AccountOverviewQuery(accountId)),
    invoices: (accountId: string, page: number, limit: number) =>
      invoices.execute(new InvoicesQuery(accountId, page, limit)),
    check: (
      onProgress: CheckLedgerQuery['onProgress'] = () => undefined,
      eventsMax?: CheckLedgerQuery['eventsMax'],
    ) => check.execute(new CheckLedgerQuery(onProgress, eventsMax)),
    close: async () => {
      await host.stop();
      await readStore.close();
      await eventStore.close();
      await rm(directory, { recursive: true });
    },
  };
};

export type Billing = Awaited<ReturnType<typeof openBilling>>;
