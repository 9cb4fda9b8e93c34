import { Inject, Injectable } from '@nestjs/common';
import {
  type ProofCaptureEvidence,
  type ProofHoldEvidence,
} from '#events/proofs/proof.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import {
  type MeterPrice,
  meterPrice,
  type MeterPriceList,
  MeterPrices,
} from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { PAIRINGS_METER, proofProduct } from './proof.product.js';
import { REQUEST_MS_MAX } from './proof-runner.js';
import { reject } from './proofs.errors.js';
import { pairingsMaxOf } from './proofs.engine.js';

export interface ProofOrder extends PaidOrder {
  readonly asked: ProofHoldEvidence;
}

/** A verification whose worst case is held. Call exactly one of these, once. */
export interface AdmittedProofs extends Pick<HeldRequest, 'release'> {
  /** Charges the pairings that were computed, whatever the outcome. */
  capture(pairings: number, outcome: ProofCaptureEvidence['outcome']): Promise<LedgerEntry>;
}

/** Prices a verification, and holds the most that it can cost before any work. */
@Injectable()
export class ProofAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws as `PaidRequests.admit` */
  async admit({ asked, ...order }: ProofOrder): Promise<AdmittedProofs> {
    const pricedAtMs = this.clock.now();
    const { rateCardVersion, lineOf } = priceOf(this.prices.inForce(pricedAtMs));
    const held = await this.paid.admit(order, {
      purpose: proofProduct.purpose,
      lines: [lineOf(pairingsMaxOf(asked.scheme, asked.proofs))],
      rateCardVersion,
      evidence: asked,
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    return {
      release: (reason) => held.release(reason),
      capture: (pairings, outcome) => {
        const evidence: ProofCaptureEvidence = { ...asked, outcome };
        return held.capture({
          ...held.charged([lineOf(pairings)]),
          evidence,
          usageSource: 'counted',
          outcome: 'completed',
        });
      },
    };
  }
}

/** @throws DomainError `proof_not_priced` where the rate card lacks the meter */
const priceOf = (list: MeterPriceList | undefined): MeterPrice =>
  meterPrice(list, PAIRINGS_METER, (detail) => reject('proof_not_priced', detail));
