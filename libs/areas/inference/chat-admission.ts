import { Inject, Injectable } from '@nestjs/common';
import {
  type ChatCaptureEvidence,
  type ChatHoldEvidence,
} from '#events/inference/chat.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import {
  type Capture,
  type HoldOrder,
  type HoldPace,
  type LedgerEntry,
  type PlacedHold,
  type Release,
} from '#platform/ledger/hold.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { chatProduct } from './chat.product.js';
import { type InferenceErrorCode } from './inference.errors.js';
import { ChatAdapters } from './chat-adapters.js';
import {
  MODEL_CATALOG,
  type ModelCatalog,
  PROMPT_HASHER,
  type PromptHasher,
  REQUEST_LIMITS,
  type RequestLimits,
  RIGS,
  type ServedModel,
  type TokenQuantities,
  type TokenRate,
} from './ports.js';
import { type Usage } from './rigs/chat-backend.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { type RigRouter } from './rigs/rig-router.js';
import { pinnedRig } from './routing-mode.js';
import { type ChatBody, choicesOf, outputTokensAsked, tokenBounds } from './token-bound.js';
import { boundsOfAll, messagesOfAll } from './several-prompts.js';
import { excessOf, linesOf, OUTPUT_METER, tokensIn } from './token-lines.js';

export interface ChatOrder {
  readonly accountId: string;
  /** When the request came, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** As the caller sent it, validated. */
  readonly body: ChatBody;
  /** More prompts of the same request, for the same model: one hold and one charge for all. */
  readonly others?: readonly ChatBody[];
  readonly routingMode: string;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedChat {
  readonly accountId: string;
  readonly model: ServedModel;
  readonly pin: string | undefined;
  readonly bound: TokenQuantities;
  readonly adapter?: TextAdapter;
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(outcome: ChatOutcome): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

export interface ChatOutcome {
  readonly usage: Usage;
  readonly outcome: Capture['outcome'];
  readonly rig: string;
  readonly attempts: number;
  readonly modelAnswered: string | null;
  readonly replyHash: string | null;
}

/** What a request asks for, by the catalog of that instant. */
interface Asked {
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  readonly pin: string | undefined;
  readonly model: ServedModel;
  readonly rate: TokenRate;
}

/** What a charge must know of its hold. */
interface Held {
  readonly accountId: string;
  readonly holdId: string;
  readonly rate: TokenRate;
  readonly promptHash: string;
  readonly names: { readonly asked: string; readonly sent: string };
  readonly bound: TokenQuantities;
}

/** Prices a request and holds its worst case before any work. */
@Injectable()
export class ChatAdmission {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    private readonly ledger: Ledger,
    @Inject(PROMPT_HASHER) private readonly hash: PromptHasher,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly adapters: ChatAdapters,
  ) {}

  /**
   * @throws DomainError before anything is written, or `insufficient_balance` by the ledger;
   *   RouteError before anything is written, when no rig can take the request; RequestCutError
   *   when the hold came too late and is released again
   */
  async admit(order: ChatOrder): Promise<AdmittedChat> {
    const admitted = await this.#hold(order);
    await demandCurrent(order, admitted, this.limits.requestMsMax, this.clock);
    return admitted;
  }

  async #hold(order: ChatOrder): Promise<AdmittedChat> {
    const { accountId, body, context } = order;
    const asked = this.#ask(order);
    const adapter =
      body.adapter == null
        ? undefined
        : await this.adapters.place(accountId, body.adapter, asked.model.id);
    const placed = await this.ledger.place(this.#holdOf(order, asked), context);
    return this.#admitted(order, asked, placed, adapter);
  }

  /** @throws DomainError, RouteError */
  #ask({ accountId, body, routingMode }: ChatOrder): Asked {
    const now = this.clock.now();
    const pin = pinnedRig(routingMode);
    const model = this.catalog.model(body.model) ?? unknownModel(body.model);
    const rate = this.catalog.rateFor(model.id, now) ?? unknownModel(model.id);
    const target = { model: model.id, account: accountId, ...(pin !== undefined && { pin }) };
    this.rigs.check(target, body);
    return { now, pin, model, rate };
  }

  #holdOf(order: ChatOrder, { now, model, rate }: Asked): HoldOrder {
    const { accountId, body, others, context } = order;
    const { requestMsMax, settleMsMax } = this.limits;
    const hasLimit = outputTokensAsked(body) !== null;
    const evidence: ChatHoldEvidence = {
      modelAsked: body.model,
      ...(body.adapter != null && { adapter: body.adapter }),
    };
    return {
      accountId,
      holdId: context.requestId,
      purpose: chatProduct.purpose,
      lines: linesOf(others ? boundsOfAll(order, model) : tokenBounds(body, model), rate),
      rateCardVersion: rate.version,
      shrink: hasLimit ? null : { meter: OUTPUT_METER, atLeast: choicesOf(body) },
      evidence,
      placedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + requestMsMax + settleMsMax).toISOString(),
      ...(context.key !== undefined && { key: context.key }),
    };
  }

  #admitted(
    order: ChatOrder,
    { pin, model, rate }: Asked,
    { lines, pace }: PlacedHold,
    adapter: TextAdapter | undefined,
  ): AdmittedChat {
    const { accountId, body, others, context } = order;
    const holdId = context.requestId;
    // After the hold, so that a rejected request does not pay for it.
    const promptHash = this.hash(JSON.stringify(others ? messagesOfAll(order) : body.messages));
    const bound = tokensIn(lines);
    const names = { asked: body.model, sent: model.upstreamId };
    return {
      accountId,
      model,
      pin,
      bound,
      ...(adapter && { adapter }),
      ...(pace && { pace }),
      capture: (outcome) =>
        this.#capture({ accountId, holdId, rate, promptHash, names, bound }, outcome, context),
      release: (reason) => this.#release({ accountId, holdId, reason }, context),
    };
  }

  #release(hold: Omit<Release, 'releasedAt'>, context: CommandContext): Promise<void> {
    return this.ledger.release({ ...hold, releasedAt: this.#instant() }, context);
  }

  /**
   * A charge that cannot be written is not owed: the hold is freed at once if that can be written,
   * and by its deadline if not. Should the charge have landed after all, it stands and the release
   * is rejected.
   */
  async #capture(held: Held, outcome: ChatOutcome, context: CommandContext): Promise<LedgerEntry> {
    try {
      return await this.ledger.capture(this.#charge(held, outcome), context);
    } catch (error) {
      await this.#free(held, context);
      throw error;
    }
  }

  /** The error that led to this says it all: one of this has the same cause. */
  #free({ accountId, holdId }: Held, context: CommandContext): Promise<void> {
    const release = this.#release({ accountId, holdId, reason: 'internal_error' }, context);
    return release.catch(() => undefined);
  }

  #charge(
    { accountId, holdId, rate, promptHash, names, bound }: Held,
    { usage, outcome, rig, attempts, modelAnswered, replyHash }: ChatOutcome,
  ): Capture {
    const charged = {
      inputTokens: Math.min(usage.promptTokens, bound.inputTokens),
      outputTokens: Math.min(usage.completionTokens, bound.outputTokens),
    };
    const excess = {
      inputTokens: usage.promptTokens - charged.inputTokens,
      outputTokens: usage.completionTokens - charged.outputTokens,
    };
    const evidence: ChatCaptureEvidence = {
      models: { ...names, answered: modelAnswered },
      attempts,
      promptHash,
      replyHash,
    };
    return {
      accountId,
      holdId,
      purpose: chatProduct.purpose,
      rig,
      lines: linesOf(charged, rate),
      usageSource: usage.source,
      excess: excessOf(excess),
      outcome,
      evidence,
      capturedAt: this.#instant(),
      model: names.asked,
    };
  }

  #instant(): string {
    return new Date(this.clock.now()).toISOString();
  }
}

const unknownModel = (model: string): never => {
  const detail = `the model ${model} is no chat model of the catalog, which GET /v1/models lists`;
  throw new DomainError<InferenceErrorCode>('model_not_found', detail);
};
