import { Inject, Injectable } from '@nestjs/common';
import {
  type EmbeddingCaptureEvidence,
  type EmbeddingHoldEvidence,
} from '#events/embeddings/embedding.evidence.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import {
  type Capture,
  type HoldPace,
  type LedgerEntry,
  type Release,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type CheckedEmbeddings, unknownModel } from './checked-embeddings.js';
import { embeddingProduct, INPUT_METER, lineOf } from './embedding.product.js';
import { EMBEDDINGS_SETTINGS, type EmbeddingsSettings } from './embeddings.settings.js';
import {
  EmbeddingModels,
  type EmbeddingRate,
  EmbeddingRigs,
  type EmbeddingUsage,
  INPUT_HASHER,
  type InputHasher,
} from './ports.js';

/** How long a hold outlives its request: time to settle before the sweep may expire it. */
const SETTLE_MS = 60_000;

export interface AdmissionOrder {
  readonly accountId: string;
  /** In milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  readonly checked: CheckedEmbeddings;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

export interface EmbeddingOutcome {
  readonly usage: EmbeddingUsage;
  readonly outcome: Capture['outcome'];
  readonly rig: string;
  readonly attempts: number;
  readonly modelAnswered: string | null;
  readonly dimensions: number | null;
  readonly outputHash: string | null;
}

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedEmbeddings {
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(outcome: EmbeddingOutcome): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

/** What a charge must know of its hold. */
interface Held extends Pick<AdmissionOrder, 'accountId' | 'checked'> {
  readonly holdId: string;
  readonly rate: EmbeddingRate;
  readonly inputHash: string;
}

/** Prices a request and holds its worst case before any work. */
@Injectable()
export class EmbeddingAdmission {
  constructor(
    private readonly models: EmbeddingModels,
    private readonly ledger: Ledger,
    private readonly rigs: EmbeddingRigs,
    @Inject(INPUT_HASHER) private readonly hash: InputHasher,
    @Inject(EMBEDDINGS_SETTINGS) private readonly settings: EmbeddingsSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError and failures of the rigs before anything is written; RequestCutError when
   *   the hold came too late and is released again
   */
  async admit(order: AdmissionOrder): Promise<AdmittedEmbeddings> {
    const admitted = await this.#hold(order);
    await demandCurrent(order, admitted, this.settings.requestMsMax, this.clock);
    return admitted;
  }

  async #hold({ accountId, checked, context }: AdmissionOrder): Promise<AdmittedEmbeddings> {
    const now = this.clock.now();
    const { asked, model, body, boundTokens } = checked;
    const rate = this.models.rateFor(model.id, now) ?? unknownModel(model.id);
    this.rigs.check({ model: model.id, accountId, body });
    const holdId = context.requestId;
    const evidence: EmbeddingHoldEvidence = {
      modelAsked: asked.model,
      inputs: asked.inputs.length,
    };
    const { pace } = await this.ledger.place(
      {
        accountId,
        holdId,
        purpose: embeddingProduct.purpose,
        shrink: null,
        evidence,
        lines: [lineOf(boundTokens, rate)],
        rateCardVersion: rate.version,
        placedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + this.settings.requestMsMax + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    // After the hold, so that a rejected request does not pay for it.
    const inputHash = this.hash(JSON.stringify(asked.inputs));
    const held = { accountId, checked, holdId, rate, inputHash };
    return {
      ...(pace && { pace }),
      capture: (outcome) => this.#capture(held, outcome, context),
      release: (reason) => this.#release(held, reason, context),
    };
  }

  #release(
    { accountId, holdId }: Held,
    reason: Release['reason'],
    context: CommandContext,
  ): Promise<void> {
    const releasedAt = instant(this.clock);
    return this.ledger.release({ accountId, holdId, reason, releasedAt }, context);
  }

  async #capture(
    held: Held,
    outcome: EmbeddingOutcome,
    context: CommandContext,
  ): Promise<LedgerEntry> {
    try {
      return await this.ledger.capture(this.#charge(held, outcome), context);
    } catch (error) {
      // A charge that cannot be written is not owed; the second error has the same cause.
      await this.#release(held, 'internal_error', context).catch(() => undefined);
      throw error;
    }
  }

  #charge({ accountId, holdId, checked, rate, inputHash }: Held, done: EmbeddingOutcome): Capture {
    const { asked, model, boundTokens } = checked;
    const { usage, outcome, rig, attempts, modelAnswered, dimensions, outputHash } = done;
    const tokens = Math.min(usage.promptTokens, boundTokens);
    const above = usage.promptTokens - tokens;
    const evidence: EmbeddingCaptureEvidence = {
      models: { asked: asked.model, sent: model.upstreamId, answered: modelAnswered },
      attempts,
      inputs: asked.inputs.length,
      dimensions,
      inputHash,
      outputHash,
    };
    return {
      accountId,
      holdId,
      purpose: embeddingProduct.purpose,
      rig,
      outcome,
      evidence,
      lines: [lineOf(tokens, rate)],
      usageSource: usage.source,
      excess: above > 0 ? [{ meter: INPUT_METER, quantity: above }] : [],
      capturedAt: instant(this.clock),
      model: asked.model,
    };
  }
}
