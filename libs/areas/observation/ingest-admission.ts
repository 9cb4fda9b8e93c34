import { Inject, Injectable } from '@nestjs/common';
import { type IngestCaptureEvidence } from '#events/observation/observation.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import {
  type MeterPriceList,
  MeterPrices,
  pricedLines,
} from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { BYTES_METER, ingestProduct } from './ingest.product.js';
import { reject } from './observation.errors.js';
import { CONTENT_BYTES_MAX, DECODED_BYTES_MAX } from './rasters.engine.js';

export const REQUEST_MS_MAX = 60_000;

/** An ingest whose worst case is held. Call exactly one of these, once. */
export interface AdmittedIngest extends Pick<HeldRequest, 'release'> {
  capture(
    bytesRead: number,
    evidence: Omit<IngestCaptureEvidence, 'payloadBytes'>,
  ): Promise<LedgerEntry>;
}

export interface PricedOrder extends PaidOrder {
  /** Of a process that runs no catalog; else the prices in force. */
  readonly prices?: MeterPriceList;
}

/** Prices an ingest, and holds the most that it can cost before any work. */
@Injectable()
export class IngestAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws as `PaidRequests.admit` */
  async admit(order: PricedOrder, payloadBytes: number): Promise<AdmittedIngest> {
    const pricedAtMs = this.clock.now();
    const quantity = payloadBytes + CONTENT_BYTES_MAX + DECODED_BYTES_MAX;
    const { lines, rateCardVersion } = pricedLines(
      order.prices ?? this.prices.inForce(pricedAtMs),
      {
        units: [{ meter: BYTES_METER, quantity }],
        reject: (detail) => reject('observation_not_priced', detail),
      },
    );
    const held = await this.paid.admit(order, {
      purpose: ingestProduct.purpose,
      lines,
      rateCardVersion,
      evidence: { payloadBytes },
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    return {
      release: (reason) => held.release(reason),
      capture: (bytesRead, evidence) =>
        held.capture({
          ...held.charged(lines.map((line) => ({ ...line, quantity: bytesRead }))),
          evidence: { payloadBytes, ...evidence },
          usageSource: 'counted',
          outcome: 'completed',
        }),
    };
  }
}
