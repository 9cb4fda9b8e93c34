import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type PrivacyHoldEvidence } from '#events/cleanrooms/privacy.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { cleanroomQueryProduct, ROWS_METER, SPENDS_METER } from './cleanroom-query.product.js';
import { roomPriceOf } from './room-prices.js';

/** The longest that a query may take, with the wait for its turn. */
export const REQUEST_MS_MAX = 60_000;

/** A query whose price is held. Call exactly one of these, once. */
export interface AdmittedQuery extends Pick<HeldRequest, 'release' | 'pace'> {
  /** @param isNew false for an answer that was stored, which costs nothing */
  capture(spendId: string, isNew: boolean): Promise<LedgerEntry>;
}

/** Prices a query, and holds its price before any privacy is reserved. */
@Injectable()
export class QueryAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `cleanroom_not_priced`; as `PaidRequests.admit` */
  async admit(
    order: PaidOrder,
    rows: number,
    evidence: PrivacyHoldEvidence,
  ): Promise<AdmittedQuery> {
    const pricedAtMs = this.clock.now();
    const list = this.prices.inForce(pricedAtMs);
    const perSpend = roomPriceOf(list, SPENDS_METER);
    const perRow = rows > 0 ? roomPriceOf(list, ROWS_METER) : null;
    const linesOf = (spends: number, made: number): PriceLine[] => [
      perSpend.lineOf(spends),
      ...(perRow ? [perRow.lineOf(made)] : []),
    ];
    const held = await this.paid.admit(order, {
      purpose: cleanroomQueryProduct.purpose,
      lines: linesOf(1, rows),
      rateCardVersion: perSpend.rateCardVersion,
      evidence,
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    return {
      pace: held.pace,
      release: (reason) => held.release(reason),
      capture: (spendId, isNew) =>
        held.capture({
          ...held.charged(isNew ? linesOf(1, rows) : linesOf(0, 0)),
          usageSource: 'counted',
          outcome: 'completed',
          evidence: { ...evidence, spendId },
        }),
    };
  }
}
