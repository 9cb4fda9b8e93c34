import { Inject, Injectable } from '@nestjs/common';
import {
  type EmbeddingCaptureEvidence,
  type EmbeddingHoldEvidence,
} from '#events/embeddings/embedding.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type CheckedEmbeddings, tariffOf } from './checked-embeddings.js';
import { embeddingProduct, chargedLinesOf, heldLinesOf } from './embedding.product.js';
import { EMBEDDINGS_SETTINGS, type EmbeddingsSettings } from './embeddings.settings.js';
import { EmbeddingModels, EmbeddingRigs, type EmbeddingUsage } from './ports.js';

export interface AdmissionOrder extends PaidOrder {
  readonly checked: CheckedEmbeddings;
}

export interface EmbeddingOutcome {
  readonly usage: EmbeddingUsage;
  readonly outcome: Capture['outcome'];
  readonly rig: string;
  readonly attempts: number;
  readonly modelAnswered: string | null;
  readonly dimensions: number | null;
  readonly outputHash: string | null;
  /** Of the vectors for the caller, without headers and framing. */
  readonly bytesOut: number;
}

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedEmbeddings extends Pick<HeldRequest, 'release'> {
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(outcome: EmbeddingOutcome): Promise<LedgerEntry>;
}

/** Prices a request and holds its worst case before any work. */
@Injectable()
export class EmbeddingAdmission {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly paid: PaidRequests,
    private readonly rigs: EmbeddingRigs,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(EMBEDDINGS_SETTINGS) private readonly settings: EmbeddingsSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws failures of the rigs before anything is written; otherwise as `PaidRequests.admit` */
  async admit({ checked, ...order }: AdmissionOrder): Promise<AdmittedEmbeddings> {
    const pricedAtMs = this.clock.now();
    const { asked, model, body, boundTokens } = checked;
    const tariff = tariffOf(this.models, model.id, pricedAtMs);
    this.rigs.check({ model: model.id, accountId: order.accountId, body });
    const inputs = asked.inputs.length;
    const held = await this.paid.admit(order, {
      purpose: embeddingProduct.purpose,
      model: asked.model,
      lines: heldLinesOf(boundTokens, tariff),
      rateCardVersion: tariff.rateCardVersion,
      evidence: { modelAsked: asked.model, inputs } satisfies EmbeddingHoldEvidence,
      pricedAtMs,
      requestMsMax: this.settings.requestMsMax,
    });
    // After the hold, so that a rejected request does not pay for it.
    const inputHash = this.hash(JSON.stringify(asked.inputs));
    return {
      ...held.pace,
      release: (reason) => held.release(reason),
      capture: ({ usage, outcome, rig, attempts, bytesOut, ...answer }) =>
        held.capture({
          ...held.charged(chargedLinesOf(usage.promptTokens, tariff)),
          rig,
          outcome,
          usageSource: usage.source,
          evidence: {
            models: {
              asked: asked.model,
              sent: model.upstreamId,
              answered: answer.modelAnswered,
            },
            attempts,
            inputs,
            dimensions: answer.dimensions,
            inputHash,
            outputHash: answer.outputHash,
          } satisfies EmbeddingCaptureEvidence,
          bytesOut,
        }),
    };
  }
}
