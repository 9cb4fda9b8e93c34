import { Inject, Injectable } from '@nestjs/common';
import {
  type SpikingCaptureEvidence,
  type SpikingHoldEvidence,
} from '#events/spiking/spiking.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type ModelCard } from './model-card.js';
import { type ChargedOperations, operationPrices, worstCase } from './operation-lines.js';
import { spikingProduct } from './spiking.product.js';
import { SPIKING_SETTINGS, type SpikingSettings } from './spiking.settings.js';

/** A run that may be admitted. */
export interface AdmissionOrder extends PaidOrder {
  readonly card: ModelCard;
  readonly neuron: string;
  readonly timesteps: number;
}

/** A run whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedRun extends Pick<HeldRequest, 'release'> {
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(counted: ChargedOperations, evidence: SpikingCaptureEvidence): Promise<LedgerEntry>;
}

/** Prices a run and holds its worst case before any work. */
@Injectable()
export class SpikingAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws as `PaidRequests.admit` */
  async admit({ card, neuron, timesteps, ...order }: AdmissionOrder): Promise<AdmittedRun> {
    const pricedAtMs = this.clock.now();
    const prices = operationPrices(this.prices.inForce(pricedAtMs));
    const { slug } = card;
    const held = await this.paid.admit(order, {
      purpose: spikingProduct.purpose,
      model: slug,
      lines: prices.linesOf(worstCase(card, timesteps)),
      rateCardVersion: prices.rateCardVersion,
      evidence: { slug, neuron, timesteps } satisfies SpikingHoldEvidence,
      pricedAtMs,
      requestMsMax: this.settings.runMsMax,
    });
    return {
      ...held.pace,
      release: (reason) => held.release(reason),
      capture: (counted, evidence) =>
        held.capture({
          ...held.charged(prices.linesOf(counted)),
          usageSource: 'counted',
          outcome: 'completed',
          evidence,
        }),
    };
  }
}
