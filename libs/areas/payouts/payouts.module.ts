import { Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { earningEvents } from '#events/payouts/earning.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Snapshots } from '#platform/runtime/commands/snapshots.js';
import { CODEC, EVENT_STORE, LOGGER, SNAPSHOTS } from '#platform/runtime/tokens.js';
import { accrualDecider } from './accrual.decider.js';
import { accrualSnapshots } from './accrual.snapshot.js';
import { type AccrualRunner, ACCRUALS } from './accruals.js';
import { EarningsAccrual } from './earnings-accrual.js';
import { PayeeAccess } from './payee-access.js';
import { Payees } from './payees.js';
import {
  ApprovePayoutHandler,
  PayPayoutHandler,
  RejectPayoutHandler,
  RequestPayoutHandler,
} from './payout.handlers.js';
import { OpenPayoutsHandler, PayoutsHandler } from './payout.queries.js';

const accruals = {
  provide: ACCRUALS,
  inject: [EVENT_STORE, CODEC, SNAPSHOTS, LOGGER],
  useFactory: (
    eventStore: EventStore,
    codec: EventCodec,
    store: Snapshots,
    logger: Logger,
  ): AccrualRunner =>
    new CommandRunner({
      decider: accrualDecider,
      eventStore,
      codec: codec.for(earningEvents),
      snapshots: { store, plan: accrualSnapshots },
      onSnapshotFailure: (err) =>
        logger.warn({ err }, 'the snapshot of the accruals failed; the log serves instead'),
    }),
};

/**
 * Requires, besides the platform: `Beneficiaries`, `Charges` and `WithholdingTax`, which the
 * composition root provides globally.
 */
@Module({
  providers: [
    accruals,
    EarningsAccrual,
    Payees,
    PayeeAccess,
    RequestPayoutHandler,
    ApprovePayoutHandler,
    RejectPayoutHandler,
    PayPayoutHandler,
    PayoutsHandler,
    OpenPayoutsHandler,
  ],
  exports: [EarningsAccrual, PayeeAccess],
})
export class PayoutsModule {}
