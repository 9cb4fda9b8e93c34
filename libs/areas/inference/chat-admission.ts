import { Inject, Injectable } from '@nestjs/common';
import { type ChatCaptureEvidence, type PassedModel } from '#events/inference/chat.evidence.js';
import { fieldTextIn } from '#platform/kernel/json-fields.js';
import { type Writable } from '#platform/kernel/writable.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Capture, type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import {
  type Charge,
  type HeldRequest,
  PaidRequests,
} from '#platform/ledger/paid-work/paid-request.js';
import { ofModel } from '#platform/ledger/price-card.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { ChatAdapters } from './chat-adapters.js';
import { ChatPricing, passing, type PricedChat, type SizedModel } from './chat-pricing.js';
import {
  type DescribedChat,
  DescribedPictures,
  type PicturedChat,
} from './pictures/described-pictures.js';
import { type DescribedPicture } from './pictures/picture-describer.port.js';
import { RIGS } from './ports.js';
import { type TextAdapter } from './rigs/text-adapter.js';
import { type RigRouter, type Routed } from './rigs/rig-router.js';
import { sessionKeyOf } from './session-key.js';
import { messagesOfAll } from './several-prompts.js';
import { tokensIn } from './token-lines.js';

/** A model that may answer, with the tokens that are held for its answer. */
export interface AdmittedModel extends Pick<SizedModel, 'model' | 'target' | 'bound'> {
  /** The models of the request that could not answer, so far. */
  readonly passed: readonly PassedModel[];
}

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedChat extends Pick<HeldRequest, 'release'> {
  readonly accountId: string;
  readonly holdId: string;
  /** The ids of the caller's `traceparent`. */
  readonly trace: string | undefined;
  /** In the order in which they are asked. */
  readonly models: readonly AdmittedModel[];
  /** A keyed hash. */
  readonly session: string | undefined;
  readonly adapter: TextAdapter | undefined;
  /** As rigs are asked: with words in the place of pictures that they do not see. */
  readonly order: ChatOrder;
  /** The pictures that the words are of. */
  readonly pictures: readonly DescribedPicture[] | undefined;
  /** Undefined where no budget has a limit per minute. */
  readonly pace: HoldPace | undefined;
  capture(outcome: ChatOutcome): Promise<LedgerEntry>;
}

/** The facts of a route that its charge keeps. */
export interface ChargedRoute extends Pick<Routed, 'rig' | 'modelSent' | 'score' | 'lost'> {
  readonly attempts: readonly unknown[];
}

export interface ChatOutcome {
  readonly usage: Usage;
  readonly outcome: Capture['outcome'];
  readonly routed: ChargedRoute;
  /** The model that answered, and the models before it. Default: the first model of the chat. */
  readonly answeredBy?: Pick<AdmittedModel, 'model' | 'passed'>;
  readonly modelAnswered: string | null;
  readonly replyHash: string | null;
  /** Of the answer for the caller, without headers and framing. */
  readonly bytesOut: number;
  /** From the arrival of the request to the first part of a stream. Absent: not measured. */
  readonly firstByteMs?: number | undefined;
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
    private readonly pictures: DescribedPictures,
  ) {}

  /**
   * @throws RouteError before anything is written, when no rig can take the request; otherwise as
   *   `PaidRequests.admit`
   */
  async admit(asked: ChatOrder, signal?: AbortSignal): Promise<AdmittedChat> {
    const pictured = this.pictures.of(asked);
    const order = pictured?.bounded ?? asked;
    const { accountId, body, context } = order;
    const priced = this.#sized(order);
    const { models, passed } = priced;
    const [{ model }] = models;
    const adapter =
      body.adapter == null
        ? undefined
        : await this.adapters.place(accountId, body.adapter, model.id);
    const worst = this.pricing.worstCase(order, priced);
    const looks = pictured?.linesAt(worst.pricedAtMs) ?? [];
    const all = pictured ? { ...worst, lines: [...worst.lines, ...looks] } : worst;
    const held = await this.paid.admit(order, all, signal);
    const described = pictured && (await describedAfter(held, pictured, signal));
    // After the hold, so that a rejected request does not pay for it.
    const promptHash = this.hash(promptOf(asked));
    return {
      accountId,
      holdId: context.requestId,
      trace: context.trace,
      models: models.map((one) => withinHeld(one, held.lines, passed)),
      session: sessionKeyOf(order, largestPrompt(models), this.hash),
      adapter,
      pace: held.pace.pace,
      order: described?.order ?? asked,
      pictures: described?.pictures,
      release: (reason) => held.release(reason),
      capture: (outcome) =>
        capture(held, outcome, { priced, looks, asked: body.model, promptHash }),
    };
  }

  /** @throws RouteError where no model has a rig that can take the request */
  #sized(order: ChatOrder): PricedChat<SizedModel> {
    const priced = this.pricing.price(order);
    const checked = passing(priced.models, (one) => {
      this.rigs.check(one.target, order.body, order.original);
      return one;
    });
    const { pin, terms } = priced;
    const passed = [...priced.passed, ...checked.passed];
    return this.pricing.size(order, { pin, terms, models: checked.models, passed });
  }
}

/** Looks at the pictures; where that fails, the request is free. */
const describedAfter = async (
  held: HeldRequest,
  pictured: PicturedChat,
  signal = new AbortController().signal,
): Promise<DescribedChat> => {
  try {
    return await pictured.describe(signal);
  } catch (error) {
    const cut = cutOf(signal);
    const isRejected = error instanceof RejectedRequestError;
    await held.release(cut?.reason ?? (isRejected ? 'refused' : 'upstream_failed'));
    throw cut ?? error;
  }
};

/** The messages of a chat as they came; of requests that were translated, as JSON. */
const promptOf = (order: ChatOrder): string => {
  const { body, others, original } = order;
  const sent = original?.dialect === 'chat' ? fieldTextIn(original.bytes, 'messages') : undefined;
  return sent ?? JSON.stringify(others ? messagesOfAll(order) : body.messages);
};

const largestPrompt = (models: readonly SizedModel[]): number => {
  let most = 0;
  for (const { bound } of models) most = Math.max(most, bound.inputTokens);
  return most;
};

/** A model with its bound, in a hold that may have been cut to the balance. */
const withinHeld = (
  { model, target, bound }: SizedModel,
  lines: readonly PriceLine[],
  passed: AdmittedModel['passed'],
): AdmittedModel => {
  const held = tokensIn(lines);
  return {
    model,
    target,
    bound: {
      inputTokens: Math.min(bound.inputTokens, held.inputTokens),
      outputTokens: Math.min(bound.outputTokens, held.outputTokens),
    },
    passed,
  };
};

/** The facts of an admitted chat that its charge needs. */
interface Admitted {
  readonly priced: PricedChat<SizedModel>;
  readonly looks: readonly PriceLine[];
  /** The model. */
  readonly asked: string;
  readonly promptHash: string;
}

const capture = (
  held: HeldRequest,
  outcome: ChatOutcome,
  { priced: { models, terms }, looks, asked, promptHash }: Admitted,
): Promise<LedgerEntry> => {
  const { usage, answeredBy, routed, firstByteMs } = outcome;
  const { rig, attempts, modelSent, score, lost } = routed;
  const { model, passed } = answeredBy ?? { ...models[0], passed: [] };
  const isFallback = model.id !== asked;
  const { tariff } = models.find((one) => one.model.id === model.id) ?? models[0];
  const { lines: own, doubts } = tariff.charged(usage, terms);
  const lines = isFallback ? ofModel(model.id, own) : own;
  const { service } = terms;
  const evidence: ChatCaptureEvidence = {
    models: { asked, sent: modelSent ?? model.upstreamId, answered: outcome.modelAnswered },
    attempts: attempts.length,
    promptHash,
    replyHash: outcome.replyHash,
  };
  if (isFallback && passed.length > 0) {
    evidence.fallback = { model: model.id, passed: [...passed] };
  }
  if (score !== undefined) evidence.score = score;
  if (lost) evidence.lostRigs = [...lost];
  if (doubts.length > 0) evidence.usageDoubts = [...doubts];
  if (service !== undefined && tariff.hasService(service)) {
    evidence.serviceTier = { asked: service, answered: usage.serviceTier ?? null };
  }
  if (usage.toolCalls !== undefined) evidence.toolCalls = usage.toolCalls;
  const charged = held.charged(looks.length > 0 ? [...lines, ...looks] : lines);
  const charge: Writable<Charge> = {
    rig,
    lines: charged.lines,
    excess: charged.excess,
    usageSource: usage.source,
    outcome: outcome.outcome,
    evidence,
    bytesOut: outcome.bytesOut,
  };
  if (firstByteMs !== undefined) charge.firstByteMs = firstByteMs;
  return held.capture(charge);
};
