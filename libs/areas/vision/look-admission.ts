import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  type VisionCaptureEvidence,
  type VisionHoldEvidence,
} from '#events/vision/vision.evidence.js';
import { FRAMES_METER } from '#events/vision/vision.meters.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { meterPrice, MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { EMBEDDED_DETECTOR } from './looker.js';
import { reject } from './vision.errors.js';
import { visionProduct } from './vision.product.js';
import { VISION_SETTINGS, type VisionSettings } from './vision.settings.js';

/** A frame whose price is held. Call exactly one of these, once. */
export interface AdmittedLook extends Pick<HeldRequest, 'release' | 'pace'> {
  capture(look: { engine: string; objects: number; file: Uint8Array }): Promise<LedgerEntry>;
}

/** The line of frames. @throws DomainError `vision_not_priced` */
export const linesOf = (
  prices: MeterPrices,
  atMs: number,
  frames: number,
): { readonly lines: PriceLine[]; readonly rateCardVersion: number } => {
  const list = prices.inForce(atMs);
  const price = meterPrice(list, FRAMES_METER, (detail) => reject('vision_not_priced', detail));
  return { lines: [price.lineOf(frames)], rateCardVersion: price.rateCardVersion };
};

/** Prices a look at a frame, and holds the price before any work. */
@Injectable()
export class LookAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(VISION_SETTINGS) private readonly settings: VisionSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vision_not_priced`; as `PaidRequests.admit` */
  async admit(order: PaidOrder, evidence: VisionHoldEvidence): Promise<AdmittedLook> {
    const pricedAtMs = this.clock.now();
    const { lines, rateCardVersion } = linesOf(this.prices, pricedAtMs, 1);
    const held = await this.paid.admit(order, {
      purpose: visionProduct.purpose,
      ...(evidence.mode === 'detect' && { model: EMBEDDED_DETECTOR }),
      lines,
      rateCardVersion,
      evidence,
      pricedAtMs,
      requestMsMax: this.settings.requestMsMax,
    });
    return {
      pace: held.pace,
      release: (reason) => held.release(reason),
      capture: ({ engine, objects, file }) =>
        held.capture({
          ...held.charged(lines),
          evidence: {
            ...evidence,
            engine,
            objects,
            frameHash: this.hash(Buffer.from(file).toString('base64')),
          } satisfies VisionCaptureEvidence,
          usageSource: 'counted',
          outcome: 'completed',
        }),
    };
  }
}
