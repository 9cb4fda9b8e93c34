import { Inject, Injectable } from '@nestjs/common';
import {
  type ChatCaptureEvidence,
  type ChatHoldEvidence,
} from '#events/inference/chat.evidence.js';
import { OUTPUT_METER } from '#events/token-meters.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import {
  type HeldRequest,
  PaidRequests,
  type WorstCase,
} from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type TokenQuantities, type Usage } from '#platform/chats/chat-usage.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { chatProduct } from './chat.product.js';
import { ChatAdapters } from './chat-adapters.js';
import { chatModel, tariffOf } from './chat-model.js';
import {
  MODEL_CATALOG,
  type ModelCatalog,
  REQUEST_LIMITS,
  type RequestLimits,
  RIGS,
  type ServedModel,
} from './ports.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { type RigRouter } from './rigs/rig-router.js';
import { RoutingModes } from './routing-modes.js';
import { choicesOf, outputTokensAsked, tokenBounds } from './token-bound.js';
import { boundsOfAll, messagesOfAll } from './several-prompts.js';
import { termsOf, tokensIn } from './token-lines.js';

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedChat extends Pick<HeldRequest, 'release'> {
  readonly accountId: string;
  readonly holdId: string;
  readonly model: ServedModel;
  readonly pin: string | undefined;
  readonly bound: TokenQuantities;
  readonly adapter?: TextAdapter;
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(outcome: ChatOutcome): Promise<LedgerEntry>;
}

export interface ChatOutcome {
  readonly usage: Usage;
  readonly outcome: Capture['outcome'];
  readonly rig: string;
  /** As in `Routed`. */
  readonly modelSent?: string;
  readonly attempts: number;
  readonly modelAnswered: string | null;
  readonly replyHash: string | null;
  /** Of the answer for the caller, without headers and framing. */
  readonly bytesOut: number;
}

/** What a request asks for, by the catalog of that instant. */
interface Asked {
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  readonly pin: string | undefined;
  readonly model: ServedModel;
  readonly tariff: TokenTariff;
  readonly terms: TariffTerms;
}

/** Prices a request and holds its worst case before any work. */
@Injectable()
export class ChatAdmission {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    private readonly paid: PaidRequests,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly adapters: ChatAdapters,
    private readonly modes: RoutingModes,
  ) {}

  /**
   * @throws RouteError before anything is written, when no rig can take the request; otherwise as
   *   `PaidRequests.admit`
   */
  async admit(order: ChatOrder): Promise<AdmittedChat> {
    const { accountId, body, others } = order;
    const asked = this.#ask(order);
    const { pin, model } = asked;
    const adapter =
      body.adapter == null
        ? undefined
        : await this.adapters.place(accountId, body.adapter, model.id);
    const held = await this.paid.admit(order, this.#worstCase(order, asked));
    // After the hold, so that a rejected request does not pay for it.
    const promptHash = this.hash(JSON.stringify(others ? messagesOfAll(order) : body.messages));
    return {
      accountId,
      holdId: order.context.requestId,
      model,
      pin,
      bound: tokensIn(held.lines),
      ...(adapter && { adapter }),
      ...held.pace,
      release: (reason) => held.release(reason),
      capture: (outcome) => capture(held, outcome, asked, body.model, promptHash),
    };
  }

  /** @throws DomainError, RouteError */
  #ask({ accountId, body, others, routingMode, original }: ChatOrder): Asked {
    const now = this.clock.now();
    const pin = this.modes.pinnedRig(body, routingMode);
    const model = chatModel(this.catalog, body.model);
    const tariff = tariffOf(this.catalog, model.id, now);
    const target = { model: model.id, account: accountId, ...(pin !== undefined && { pin }) };
    this.rigs.check(target, body, original);
    return { now, pin, model, tariff, terms: termsOf([body, ...(others ?? [])]) };
  }

  #worstCase(order: ChatOrder, { now, model, tariff, terms }: Asked): WorstCase {
    const { body, others } = order;
    const hasLimit = outputTokensAsked(body) !== null;
    const bound = others ? boundsOfAll(order, model) : tokenBounds(body, model);
    const evidence: ChatHoldEvidence = {
      modelAsked: body.model,
      ...(body.adapter != null && { adapter: body.adapter }),
    };
    return {
      purpose: chatProduct.purpose,
      lines: tariff.held(bound, terms),
      rateCardVersion: tariff.rateCardVersion,
      shrink: hasLimit ? null : { meter: OUTPUT_METER, atLeast: choicesOf(body) },
      evidence,
      pricedAtMs: now,
      requestMsMax: this.limits.requestMsMax,
    };
  }
}

const capture = (
  held: HeldRequest,
  { usage, outcome, rig, attempts, modelAnswered, replyHash, bytesOut, modelSent }: ChatOutcome,
  { model: { upstreamId }, tariff, terms }: Asked,
  asked: string,
  promptHash: string,
): Promise<LedgerEntry> => {
  const { source, serviceTier = null, toolCalls } = usage;
  const { lines, doubts } = tariff.charged(usage, terms);
  const { service } = terms;
  const evidence: ChatCaptureEvidence = {
    models: { asked, sent: modelSent ?? upstreamId, answered: modelAnswered },
    attempts,
    promptHash,
    replyHash,
    ...(doubts.length > 0 && { usageDoubts: [...doubts] }),
    ...(service !== undefined &&
      tariff.hasService(service) && { serviceTier: { asked: service, answered: serviceTier } }),
    ...(toolCalls !== undefined && { toolCalls }),
  };
  return held.capture({
    ...held.charged(lines),
    rig,
    usageSource: source,
    outcome,
    evidence,
    model: asked,
    bytesOut,
  });
};
