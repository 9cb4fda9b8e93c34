import { Inject, Injectable } from '@nestjs/common';
import {
  type SpikingCaptureEvidence,
  type SpikingHoldEvidence,
} from '#events/spiking/spiking.evidence.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type HoldPace, type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type ModelCard } from './model-card.js';
import {
  type ChargedOperations,
  chargedOf,
  excessOf,
  operationPrices,
  worstCase,
} from './operation-lines.js';
import { spikingProduct } from './spiking.product.js';
import { SPIKING_SETTINGS, type SpikingSettings } from './spiking.settings.js';

/** How long a hold outlives its run: time to settle before the sweep may expire it. */
const SETTLE_MS = 60_000;

/** A run that may be admitted. */
export interface AdmissionOrder {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly card: ModelCard;
  readonly neuron: string;
  readonly timesteps: number;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

/** A run whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedRun {
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(counted: ChargedOperations, evidence: SpikingCaptureEvidence): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

/** Prices a run and holds its worst case before any work. */
@Injectable()
export class SpikingAdmission {
  constructor(
    private readonly ledger: Ledger,
    private readonly prices: MeterPrices,
    @Inject(SPIKING_SETTINGS) private readonly settings: SpikingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; RequestCutError when the hold came too late and is released again */
  async admit(order: AdmissionOrder): Promise<AdmittedRun> {
    const admitted = await this.#hold(order);
    await demandCurrent(order, admitted, this.settings.runMsMax, this.clock);
    return admitted;
  }

  async #hold({
    accountId,
    card,
    neuron,
    timesteps,
    context,
  }: AdmissionOrder): Promise<AdmittedRun> {
    const now = this.clock.now();
    const prices = operationPrices(this.prices.inForce(now));
    const bound = worstCase(card, timesteps);
    const holdId = context.requestId;
    const { pace } = await this.ledger.place(
      {
        accountId,
        holdId,
        purpose: spikingProduct.purpose,
        lines: prices.linesOf(bound),
        rateCardVersion: prices.rateCardVersion,
        shrink: null,
        evidence: { slug: card.slug, neuron, timesteps } satisfies SpikingHoldEvidence,
        placedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + this.settings.runMsMax + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    const release = (reason: Release['reason']): Promise<void> =>
      this.ledger.release({ accountId, holdId, reason, releasedAt: instant(this.clock) }, context);
    return {
      ...(pace && { pace }),
      release,
      capture: async (counted, evidence) => {
        const capture = {
          accountId,
          holdId,
          purpose: spikingProduct.purpose,
          rig: null,
          lines: prices.linesOf(chargedOf(counted, bound)),
          usageSource: 'counted',
          excess: excessOf(counted, bound),
          outcome: 'completed',
          evidence,
          capturedAt: instant(this.clock),
          model: card.slug,
        } as const;
        try {
          return await this.ledger.capture(capture, context);
        } catch (error) {
          // A charge that cannot be written is not owed; the second error has the same cause.
          await release('internal_error').catch(() => undefined);
          throw error;
        }
      },
    };
  }
}
