import { Inject, Injectable } from '@nestjs/common';
import {
  type ImageCaptureEvidence,
  type ImageHoldEvidence,
} from '#events/images/image.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Capture, type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type ImagesAsked } from './image-body.js';
import { pricesOf } from './image-lines.js';
import { imageProduct } from './image.product.js';
import { IMAGES_SETTINGS, type ImagesSettings } from './images.settings.js';

export interface AdmissionOrder extends PaidOrder {
  readonly asked: ImagesAsked;
  readonly engine: string;
  readonly isEmbedded: boolean;
}

export interface ChargedImage {
  readonly engine: string;
  /** As its file has it. */
  readonly claim: string;
}

/** Pictures whose price is held. Call exactly one of these, once. */
export interface AdmittedImages extends Pick<HeldRequest, 'release' | 'pace'> {
  /** Charges the pictures that were made. */
  capture(made: readonly ChargedImage[], outcome: Capture['outcome']): Promise<LedgerEntry>;
}

/** Prices the pictures of a request, and holds the price before any work. */
@Injectable()
export class ImageAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(IMAGES_SETTINGS) private readonly settings: ImagesSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `images_not_priced`; as `PaidRequests.admit` */
  async admit({ asked, engine, isEmbedded, ...order }: AdmissionOrder): Promise<AdmittedImages> {
    const pricedAtMs = this.clock.now();
    const prices = pricesOf(this.prices.inForce(pricedAtMs), asked, isEmbedded);
    const evidence: ImageHoldEvidence = {
      modelAsked: asked.model,
      engine,
      images: asked.images,
      ...asked.size,
      steps: isEmbedded ? asked.steps : null,
    };
    const held = await this.paid.admit(order, {
      purpose: imageProduct.purpose,
      ...(asked.model !== null && { model: asked.model }),
      lines: prices.linesOf(asked.images),
      rateCardVersion: prices.rateCardVersion,
      evidence,
      pricedAtMs,
      requestMsMax: this.settings.requestMsMax,
    });
    return {
      pace: held.pace,
      release: (reason) => held.release(reason),
      capture: (made, outcome) =>
        held.capture({
          ...held.charged(prices.linesOf(made.length)),
          evidence: {
            ...evidence,
            engine: made[0]?.engine ?? engine,
            made: made.length,
            promptHash: this.hash(asked.prompt),
            claimHashes: made.map(({ claim }) => this.hash(claim)),
          } satisfies ImageCaptureEvidence,
          usageSource: 'counted',
          outcome,
        }),
    };
  }
}
