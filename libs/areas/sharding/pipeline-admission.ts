import { Inject, Injectable } from '@nestjs/common';
import {
  type PipelineCaptureEvidence,
  type PipelineHoldEvidence,
} from '#events/sharding/pipeline.evidence.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  type Capture,
  type HoldPace,
  type LedgerEntry,
  type Release,
} from '#platform/ledger/hold.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type PipelineOrder, promptTokensBound } from './pipeline-order.js';
import {
  OUTPUT_METER,
  pipelineProduct,
  type TokenCounts,
  tokenLines,
  tokensOf,
  within,
} from './pipeline.product.js';
import { type ShardedModel, ShardedModels } from './sharded-models.port.js';
import { reject } from './sharding.errors.js';
import { SHARDING_SETTINGS, type ShardingSettings } from './sharding.settings.js';

/** How long a hold outlives its answer: time to settle before the sweep may expire it. */
const SETTLE_MS = 60_000;

export interface PipelineCharge {
  readonly used: TokenCounts;
  readonly outcome: Capture['outcome'];
  readonly evidence: Omit<PipelineCaptureEvidence, keyof PipelineHoldEvidence>;
}

/** An answer whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedPipeline {
  readonly modelFile: string;
  /** What the hold covers. */
  readonly bound: TokenCounts;
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(charge: PipelineCharge): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

/** Prices an answer by the tokens of its model, and holds its worst case before any work. */
@Injectable()
export class PipelineAdmission {
  constructor(
    private readonly models: ShardedModels,
    private readonly ledger: Ledger,
    @Inject(SHARDING_SETTINGS) private readonly settings: ShardingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; RequestCutError when the hold came too late and is released again */
  async admit(order: PipelineOrder): Promise<AdmittedPipeline> {
    const admitted = await this.#hold(order);
    await demandCurrent(order, admitted, this.settings.requestMsMax, this.clock);
    return admitted;
  }

  async #hold(order: PipelineOrder): Promise<AdmittedPipeline> {
    const { accountId, context, transport } = order;
    const now = this.clock.now();
    const { model, modelFile, rate } = this.#choose(order, now);
    const holdId = context.requestId;
    const { purpose } = pipelineProduct;
    const asked: PipelineHoldEvidence = { modelAsked: order.model, transport };
    const { lines, pace } = await this.ledger.place(
      {
        accountId,
        holdId,
        purpose,
        evidence: asked,
        rateCardVersion: rate.version,
        lines: tokenLines(boundOf(order, model), rate),
        shrink: order.maxTokens === null ? { meter: OUTPUT_METER, atLeast: 1 } : null,
        placedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + this.settings.requestMsMax + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    const bound = tokensOf(lines);
    const release = (reason: Release['reason']): Promise<void> =>
      this.ledger.release({ accountId, holdId, reason, releasedAt: instant(this.clock) }, context);
    return {
      modelFile,
      bound,
      release,
      ...(pace && { pace }),
      capture: async ({ used, outcome, evidence }) => {
        const { charged, excess } = within(used, bound);
        const capture: Capture = {
          accountId,
          holdId,
          purpose,
          rig: null,
          excess,
          outcome,
          lines: tokenLines(charged, rate),
          usageSource: 'counted',
          evidence: { ...asked, ...evidence } satisfies PipelineCaptureEvidence,
          capturedAt: instant(this.clock),
          model: order.model,
        };
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

  #choose({ model: id, transport }: PipelineOrder, now: number) {
    const model = this.models.model(id);
    const rate = this.models.rateFor(id, now);
    if (!model || !rate) {
      const detail = `the model ${id} is not in the catalog; GET /v1/models lists those that are`;
      return reject('pipeline_model_unknown', detail);
    }
    if (model.file === null) {
      const detail = `the model ${id} has no file here, so its layers cannot be divided`;
      return reject('pipeline_model_unsupported', detail);
    }
    if (transport === 'wireguard_direct' && this.settings.wireguardInterface === null) {
      const detail = 'no WireGuard interface is configured: QUIPU_WIREGUARD_INTERFACE names it';
      return reject('pipeline_transport_unavailable', detail);
    }
    return { model, modelFile: model.file, rate };
  }
}

const boundOf = ({ messages, maxTokens }: PipelineOrder, model: ShardedModel): TokenCounts => {
  const { id, contextTokens, maxOutputTokens } = model;
  if (maxTokens !== null && maxTokens > contextTokens) {
    const detail = `max_tokens ${maxTokens} is above the context of ${id}, ${contextTokens} tokens`;
    return reject('pipeline_max_tokens_above_context', detail);
  }
  return {
    promptTokens: promptTokensBound(messages, contextTokens),
    completionTokens: maxTokens ?? maxOutputTokens,
  };
};
