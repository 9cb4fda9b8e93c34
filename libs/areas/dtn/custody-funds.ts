import { Inject, Injectable } from '@nestjs/common';
import { labelsOf } from '#events/hold.vocabulary.js';
import {
  type CustodyCaptureEvidence,
  type CustodyHoldEvidence,
} from '#events/dtn/custody.evidence.js';
import { type BundleAccepted, type CustodyHold } from '#events/dtn/dtn.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { MeterPrices, pricedLines } from '#platform/ledger/meter-prices.port.js';
import { PaidProcesses, type ProcessHold } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type CustodyRecord } from '#projections/dtn/bundles.projection.js';
import { BUNDLE_METER, BYTE_HOUR_METER, custodyProduct } from './custody.product.js';
import { reject } from './dtn.errors.js';

/** A bundle that is to be accepted. */
export type PricedBundle = Pick<
  BundleAccepted['data'],
  'bundleId' | 'accountId' | 'priority' | 'lifetimeSec' | 'bundleBytes' | 'acceptedAt' | 'expiresAt'
>;

const MS_PER_HOUR = 3_600_000;
/** The hold outlasts the bundle by this, so that the end of the bundle finds it open. */
const SETTLE_MS = 24 * MS_PER_HOUR;

/** Holds the price of the whole lifetime of a bundle, and charges the time that it was stored. */
@Injectable()
export class CustodyFunds {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly ledger: Ledger,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Before any work. @throws DomainError `insufficient_balance` */
  async demand(accountId: string, { requestId }: CommandContext): Promise<void> {
    await this.ledger.demandFunds(accountId, requestId);
  }

  /** @throws DomainError `dtn_not_priced`, `insufficient_balance`, `budget_exceeded` */
  async place(bundle: PricedBundle, context: CommandContext): Promise<CustodyHold> {
    const { bundleBytes, acceptedAt, expiresAt } = bundle;
    const priced = pricedLines(this.prices.inForce(this.clock.now()), {
      units: usageOf(bundleBytes, hoursOf(acceptedAt, expiresAt)),
      reject: (detail) => reject('dtn_not_priced', detail),
    });
    const hold: CustodyHold = {
      // A bundle that is handed over again later is another order to the ledger.
      holdId: derivedId(`hold ${acceptedAt}`, bundle.bundleId),
      ...priced,
      expiresAt: new Date(Date.parse(expiresAt) + SETTLE_MS).toISOString(),
      ...labelsOf(context),
    };
    await this.processes.place(holdOf(bundle, hold), acceptedAt, onHold(context, 'place', hold));
    return hold;
  }

  /** Frees the hold of a bundle that was not accepted. */
  async abandon(
    { accountId, acceptedAt }: PricedBundle,
    hold: CustodyHold,
    context: CommandContext,
  ): Promise<void> {
    const { holdId } = hold;
    const freed = onHold(context, 'free', hold);
    await this.processes.abandon({ accountId, holdId }, acceptedAt, freed);
  }

  /** Charges a bundle that has ended: itself, and each hour that has begun; the rest is freed. */
  async charge(bundle: CustodyRecord, context: CommandContext): Promise<void> {
    const { status, hold, bundleBytes, expiresAt, endedAt } = bundle;
    if (status === 'stored' || status === 'forwarded' || status === 'rejected') return;
    if (hold === null || bundleBytes === null || expiresAt === null || endedAt === null) return;
    const { bundleId, priority, acceptedAt } = bundle;
    // An expiry is recorded late where nothing has read the log.
    const hours = hoursOf(acceptedAt, endedAt < expiresAt ? endedAt : expiresAt);
    const ids = { bundleId, priority, bundleBytes };
    const evidence: CustodyCaptureEvidence = { ...ids, end: status, hours };
    await this.processes.charge(
      {
        hold: holdOf({ ...bundle, bundleBytes }, hold),
        status: status === 'cancelled' ? 'cancelled' : 'completed',
        endedAt,
        usage: usageOf(bundleBytes, hours),
        usageSource: 'counted',
        evidence,
      },
      context,
    );
  }
}

const hoursOf = (from: string, to: string): number =>
  Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / MS_PER_HOUR));

const usageOf = (bundleBytes: number, hours: number) => [
  { meter: BUNDLE_METER, quantity: 1 },
  { meter: BYTE_HOUR_METER, quantity: bundleBytes * hours },
];

const holdOf = (
  bundle: Omit<PricedBundle, 'acceptedAt' | 'expiresAt'>,
  hold: CustodyHold,
): ProcessHold => {
  const { bundleId, accountId, priority, lifetimeSec, bundleBytes } = bundle;
  const evidence: CustodyHoldEvidence = { bundleId, priority, lifetimeSec, bundleBytes };
  return { accountId, purpose: custodyProduct.purpose, evidence, ...hold };
};

const onHold = (
  { requestId: id, correlationId, actor }: CommandContext,
  what: string,
  { holdId }: CustodyHold,
): CommandContext => followUp({ id, correlationId }, `${what} ${holdId}`, actor);
