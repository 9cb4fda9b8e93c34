import { Inject, Injectable } from '@nestjs/common';
import { type ChatCaptureEvidence } from '#events/inference/chat.evidence.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type TokenQuantities, type Usage } from '#platform/chats/chat-usage.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { ChatAdapters } from './chat-adapters.js';
import { ChatPricing, type PricedChat } from './chat-pricing.js';
import { RIGS, type ServedModel } from './ports.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { type RigRouter } from './rigs/rig-router.js';
import { messagesOfAll } from './several-prompts.js';
import { tokensIn } from './token-lines.js';

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

/** Prices a request and holds its worst case before any work. */
@Injectable()
export class ChatAdmission {
  constructor(
    private readonly pricing: ChatPricing,
    private readonly paid: PaidRequests,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(RIGS) private readonly rigs: RigRouter,
    private readonly adapters: ChatAdapters,
  ) {}

  /**
   * @throws RouteError before anything is written, when no rig can take the request; otherwise as
   *   `PaidRequests.admit`
   */
  async admit(order: ChatOrder): Promise<AdmittedChat> {
    const { accountId, body, others } = order;
    const priced = this.pricing.price(order);
    const { pin, model, target } = priced;
    this.rigs.check(target, body, order.original);
    const adapter =
      body.adapter == null
        ? undefined
        : await this.adapters.place(accountId, body.adapter, model.id);
    const held = await this.paid.admit(order, this.pricing.worstCase(order, priced));
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
      capture: (outcome) => capture(held, outcome, priced, body.model, promptHash),
    };
  }
}

const capture = (
  held: HeldRequest,
  { usage, outcome, rig, attempts, modelAnswered, replyHash, bytesOut, modelSent }: ChatOutcome,
  { model, tariff, terms }: PricedChat,
  asked: string,
  promptHash: string,
): Promise<LedgerEntry> => {
  const { source, serviceTier = null, toolCalls } = usage;
  const { lines, doubts } = tariff.charged(usage, terms);
  const { service } = terms;
  const evidence: ChatCaptureEvidence = {
    models: { asked, sent: modelSent ?? model.upstreamId, answered: modelAnswered },
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
