import { Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { accountEvents } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { type Snapshots } from '#platform/runtime/snapshots.js';
import { CODEC, EVENT_STORE, LOGGER, SNAPSHOTS } from '#platform/runtime/tokens.js';
import { AccountLedger } from './account-ledger.js';
import { accountDecider } from './account.decider.js';
import { AccountOverviewHandler } from './account-overview.handler.js';
import { accountSnapshots } from './account.snapshot.js';
import { type Accounts, ACCOUNTS } from './accounts.js';
import { ChangeAccountHandler } from './change-account.handler.js';
import { CheckLedgerHandler } from './check-ledger.handler.js';
import { ExpireHoldHandler } from './expire-hold.handler.js';
import { InvoicesHandler } from './invoices.handler.js';

const accounts = {
  provide: ACCOUNTS,
  inject: [EVENT_STORE, CODEC, SNAPSHOTS, LOGGER],
  useFactory: (
    eventStore: EventStore,
    codec: EventCodec,
    store: Snapshots,
    logger: Logger,
  ): Accounts =>
    new CommandRunner({
      decider: accountDecider,
      eventStore,
      codec: codec.for(accountEvents),
      snapshots: { store, plan: accountSnapshots },
      onSnapshotFailure: (err) =>
        logger.warn({ err }, 'the snapshot of an account failed; the log serves instead'),
    }),
};

/** Exports the ledger to the other areas: `QuipuModule`, which is global, exports it again. */
@Module({
  providers: [
    accounts,
    { provide: Ledger, useClass: AccountLedger },
    ChangeAccountHandler,
    ExpireHoldHandler,
    AccountOverviewHandler,
    InvoicesHandler,
    CheckLedgerHandler,
  ],
  exports: [Ledger],
})
export class BillingModule {}
