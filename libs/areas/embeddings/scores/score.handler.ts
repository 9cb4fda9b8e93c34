import { Inject, Injectable } from '@nestjs/common';
import {
  type ScoringCaptureEvidence,
  type ScoringHoldEvidence,
} from '#events/embeddings/scoring.evidence.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { type EmbeddingsErrorCode } from '../embeddings.errors.js';
import { EMBEDDINGS_SETTINGS, type EmbeddingsSettings } from '../embeddings.settings.js';
import { type ScoringAsked } from './scoring-asked.js';
import { chargedLinesOf, heldLinesOf, productOf } from './scoring.product.js';
import {
  type RigScores,
  type ScoringModel,
  ScoringModels,
  type ScoringOrder,
  ScoringRigs,
  type ScoringTask,
} from './scoring.ports.js';

export interface ScoresOrder extends PaidOrder {
  readonly asked: ScoringAsked;
}

/** Scores that have been paid for. */
export interface PaidScores extends RigScores {
  /** The model that the caller asked for. */
  readonly model: string;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** The most tokens that a model puts around an item. */
const TOKENS_PER_ITEM = 8;

/** Holds, asks the rigs, charges: moderations and rankings. Called without the bus. */
@Injectable()
export class ScoreHandler {
  constructor(
    private readonly models: ScoringModels,
    private readonly paid: PaidRequests,
    private readonly rigs: ScoringRigs,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(EMBEDDINGS_SETTINGS) private readonly settings: EmbeddingsSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether the catalog has a model of this name that does the task. */
  does(task: ScoringTask, model: unknown): boolean {
    return this.models.all(task).some(({ id }) => id === model);
  }

  /**
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, RequestCutError, failures of the rigs; the last two after the hold is
   *   released, or charged for a caller that left
   */
  async execute({ asked, ...order }: ScoresOrder, signal: AbortSignal): Promise<PaidScores> {
    const { task, items, counted, searchesMax: searches } = asked;
    const model = this.#modelOf(asked);
    const bounds = asked.sizes.map((size) => Math.min(size + TOKENS_PER_ITEM, model.contextTokens));
    const promptTokensMax = bounds.reduce((sum, one) => sum + one, 0);
    const route: ScoringOrder = {
      task,
      items,
      counted,
      promptTokensMax,
      model: model.id,
      accountId: order.accountId,
      body: { ...asked.body, model: model.upstreamId },
    };
    const pricedAtMs = this.clock.now();
    const tariff = TokenTariff.at(this.models, model.id, pricedAtMs) ?? this.#unknown(asked);
    this.rigs.check(route);
    const held = await this.paid.admit(
      { ...order, signal },
      {
        purpose: productOf(task).purpose,
        model: model.id,
        lines: heldLinesOf(
          { inputTokens: promptTokensMax, ...(searches !== undefined && { searches }) },
          tariff,
        ),
        rateCardVersion: tariff.rateCardVersion,
        evidence: { modelAsked: model.id, items } satisfies ScoringHoldEvidence,
        pricedAtMs,
        requestMsMax: this.settings.requestMsMax,
      },
    );
    // After the hold, so that a rejected request does not pay for it.
    const inputHash = this.hash(JSON.stringify(asked.inputs));
    const capture = (
      { usage, rig, attempts, ...answer }: Outcome,
      outcome: Capture['outcome'],
    ): Promise<LedgerEntry> => {
      const text = answer.results === null ? null : JSON.stringify(answer.results);
      return held.capture({
        ...held.charged(chargedLinesOf(task, usage, tariff)),
        rig,
        outcome,
        usageSource: usage.source,
        evidence: {
          models: {
            asked: model.id,
            sent: answer.modelSent ?? model.upstreamId,
            answered: answer.modelAnswered,
          },
          attempts,
          items,
          inputHash,
          outputHash: text === null ? null : this.hash(text),
        } satisfies ScoringCaptureEvidence,
        bytesOut: text === null ? 0 : Buffer.byteLength(text),
      });
    };
    const answer = await this.#ask(route, held, model, signal, capture);
    const entry = await capture({ ...answer, attempts: answer.attempts.length }, 'completed');
    return { ...answer, model: model.id, entry, ...held.pace };
  }

  /** Nothing was delivered when this fails, so it is free, unless the caller left accepted work. */
  async #ask(
    route: ScoringOrder,
    held: Pick<HeldRequest, 'release'>,
    { chargesCancelled }: ScoringModel,
    signal: AbortSignal,
    capture: (outcome: Outcome, kind: Capture['outcome']) => Promise<LedgerEntry>,
  ): Promise<RigScores> {
    try {
      return await this.rigs.score(route, signal);
    } catch (error) {
      const failure = this.rigs.failureOf(error);
      const cut = failure?.isCancelled === true ? cutOf(signal) : null;
      if (cut?.reason === 'client_gone' && chargesCancelled && failure?.used) {
        await capture({ ...failure.used, results: null, modelAnswered: null }, 'client_gone');
        throw cut;
      }
      await held.release(cut?.reason ?? failure?.reason ?? 'internal_error');
      throw cut ?? error;
    }
  }

  #modelOf(asked: ScoringAsked): ScoringModel {
    const all = this.models.all(asked.task);
    const found = asked.model === null ? all[0] : all.find(({ id }) => id === asked.model);
    return found ?? this.#unknown(asked);
  }

  /** @throws DomainError that says what is missing */
  #unknown({ task, model }: Pick<ScoringAsked, 'task' | 'model'>): never {
    const isOther = model !== null && this.models.idOf(model) !== undefined;
    const code: EmbeddingsErrorCode =
      task === 'rerank' ? 'rerank_model_not_found' : 'moderation_model_not_found';
    const kinds = `the catalog needs a model of kind ${task} on a rig of kind openai`;
    if (model === null) throw new DomainError(code, `there is no model for this; ${kinds}`);
    const fault = isOther ? `the model ${model} is of another kind` : `there is no model ${model}`;
    const hint = this.models.all(task).length > 0 ? 'see GET /v1/models' : kinds;
    throw new DomainError(code, `${fault}; ${hint}`);
  }
}

/** The work of a rig, whether its answer came or not. */
interface Outcome extends Pick<RigScores, 'rig' | 'usage' | 'modelSent' | 'modelAnswered'> {
  readonly attempts: number;
  readonly results: RigScores['results'] | null;
}
