import { OUTPUT_METER } from '#events/token-meters.js';
import { Inject, Injectable } from '@nestjs/common';
import {
  type PipelineCaptureEvidence,
  type PipelineHoldEvidence,
} from '#events/sharding/pipeline.evidence.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type PipelineOrder, promptTokensBound } from './pipeline-order.js';
import { pipelineProduct, type TokenCounts, tokensOf } from './pipeline.product.js';
import { type ShardedModel, ShardedModels } from './sharded-models.port.js';
import { reject } from './sharding.errors.js';
import { SHARDING_SETTINGS, type ShardingSettings } from './sharding.settings.js';

export interface PipelineCharge {
  readonly used: TokenCounts;
  readonly outcome: Capture['outcome'];
  readonly evidence: Omit<PipelineCaptureEvidence, keyof PipelineHoldEvidence>;
}

/** An answer whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedPipeline extends Pick<HeldRequest, 'release'> {
  readonly modelFile: string;
  /** The tokens that the hold covers. */
  readonly bound: TokenCounts;
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(charge: PipelineCharge): Promise<LedgerEntry>;
}

/** Prices an answer by the tokens of its model, and holds its worst case before any work. */
@Injectable()
export class PipelineAdmission {
  constructor(
    private readonly models: ShardedModels,
    private readonly paid: PaidRequests,
    @Inject(SHARDING_SETTINGS) private readonly settings: ShardingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws as `PaidRequests.admit` */
  async admit(order: PipelineOrder): Promise<AdmittedPipeline> {
    const pricedAtMs = this.clock.now();
    const { model, modelFile, tariff } = this.#choose(order, pricedAtMs);
    const { promptTokens: inputTokens, completionTokens: outputTokens } = boundOf(order, model);
    const asked: PipelineHoldEvidence = { modelAsked: order.model, transport: order.transport };
    const held = await this.paid.admit(order, {
      purpose: pipelineProduct.purpose,
      model: order.model,
      evidence: asked,
      rateCardVersion: tariff.rateCardVersion,
      lines: tariff.held({ inputTokens, outputTokens }),
      shrink: order.maxTokens === null ? { meter: OUTPUT_METER, atLeast: 1 } : null,
      pricedAtMs,
      requestMsMax: this.settings.requestMsMax,
    });
    return {
      modelFile,
      bound: tokensOf(held.lines),
      ...held.pace,
      release: (reason) => held.release(reason),
      capture: ({ used, outcome, evidence }) =>
        held.capture({
          ...held.charged(tariff.charged({ ...used, source: 'counted' }).lines),
          outcome,
          usageSource: 'counted',
          evidence: { ...asked, ...evidence } satisfies PipelineCaptureEvidence,
        }),
    };
  }

  #choose({ model: id, transport }: PipelineOrder, now: number) {
    const model = this.models.model(id);
    const tariff = TokenTariff.at(this.models, id, now);
    if (!model || !tariff) {
      const detail = `the model ${id} is not in the catalog; GET /v1/models lists its models`;
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
    return { model, modelFile: model.file, tariff };
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
