import { Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { accountEvents } from '#events/billing/account.events.js';
import { invoiceDetailsEvents } from '#events/billing/invoice-details.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Admission } from '#platform/ledger/paid-work/admission.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { RemoteLedger } from '#platform/ledger/remote/remote-ledger.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Snapshots } from '#platform/runtime/commands/snapshots.js';
import { CODEC, EVENT_STORE, LOGGER, SNAPSHOTS } from '#platform/runtime/tokens.js';
import { AccountLedger } from './account-ledger.js';
import { accountDecider } from './account.decider.js';
import { AccountOverviewHandler } from './account-overview.handler.js';
import { accountSnapshots } from './account.snapshot.js';
import { type Accounts, ACCOUNTS } from './accounts.js';
import {
  AccountFundsHandler,
  AddSubAccountHandler,
  CloseAccountHandler,
  DeliverAllotmentHandler,
  MoveAllotmentHandler,
  OpenSubAccountHandler,
} from './allotment.handlers.js';
import { BudgetsHandler } from './budgets/budgets.handler.js';
import { ChangeAccountHandler } from './change-account.handler.js';
import { CheckLedgerHandler } from './check-ledger.handler.js';
import { ExpireHoldHandler } from './expire-hold.handler.js';
import { ExplainRequestHandler } from './explanations/explain-request.handler.js';
import { RejectionMemory } from './explanations/rejection-memory.js';
import { RejectionsHandler } from './explanations/rejections.handler.js';
import { InvoicesHandler } from './invoices.handler.js';
import { KeyUsesHandler } from './key-uses.handler.js';
import { LedgerEventsHandler } from './ledger-events.handler.js';
import { OpenHoldsHandler } from './open-holds.handler.js';
import { ReplayPricesHandler } from './rerating/replay-prices.handler.js';
import { RepriceCharges } from './rerating/reprice-charges.js';
import { RerateMonthHandler } from './rerating/rerate-month.handler.js';
import {
  INVOICE_DETAILS,
  invoiceDetailsDecider,
  type InvoiceDetailsRunner,
  InvoicePartiesHandler,
  SetInvoiceDetailsHandler,
} from './statements/invoice-details.handlers.js';
import { StatementClosing } from './statements/statement-closing.js';
import { StatementHandler } from './statements/statement.handler.js';

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

const invoiceDetails = {
  provide: INVOICE_DETAILS,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): InvoiceDetailsRunner =>
    new CommandRunner({
      decider: invoiceDetailsDecider,
      eventStore,
      codec: codec.for(invoiceDetailsEvents),
    }),
};

/** Of several processes on one port, one decides for all. */
const ledger = {
  provide: Ledger,
  inject: [AccountLedger, { token: RemoteLedger, optional: true }],
  useFactory: (own: AccountLedger, remote?: RemoteLedger): Ledger => remote ?? own,
};

/** Exports the ledger to the other areas: `QuipuModule`, which is global, exports it again. */
@Module({
  providers: [
    accounts,
    AccountLedger,
    ledger,
    Admission,
    PaidRequests,
    PaidProcesses,
    ChangeAccountHandler,
    ExpireHoldHandler,
    OpenSubAccountHandler,
    AddSubAccountHandler,
    CloseAccountHandler,
    DeliverAllotmentHandler,
    MoveAllotmentHandler,
    AccountFundsHandler,
    AccountOverviewHandler,
    InvoicesHandler,
    StatementHandler,
    StatementClosing,
    invoiceDetails,
    SetInvoiceDetailsHandler,
    InvoicePartiesHandler,
    BudgetsHandler,
    KeyUsesHandler,
    LedgerEventsHandler,
    OpenHoldsHandler,
    RejectionMemory,
    ExplainRequestHandler,
    RejectionsHandler,
    CheckLedgerHandler,
    RepriceCharges,
    ReplayPricesHandler,
    RerateMonthHandler,
  ],
  exports: [Ledger, PaidRequests, PaidProcesses],
})
export class BillingModule {}
