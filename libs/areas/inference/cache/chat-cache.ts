import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  type CachedChatEvidence,
  type CachedChatHoldEvidence,
} from '#events/inference/cached-chat.evidence.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type ChatReply,
  type ChatStream,
  type StreamReceipt,
} from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { priceOf } from '#platform/ledger/price.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { MODEL_CATALOG, type ModelCatalog, REQUEST_LIMITS, type RequestLimits } from '../ports.js';
import { outputTokensAsked } from '../token-bound.js';
import { ANSWER_BYTES_MAX, AnswerCache, type AnswerPlace } from './answer-cache.js';
import { CACHED_METER, cachedChatProduct, cachedLineOf } from './cached-chat.product.js';

/** A whole answer has one line: its JSON. A stream has one for each chunk. */
interface KeptAnswer {
  readonly lines: readonly string[];
  /** They are of the caller's dialect, as the rig sent them. */
  readonly isOriginal: boolean;
  readonly usage: Usage;
  readonly requestId: string;
  readonly eventId: string;
  readonly chargedMicroUsd: string;
}

/** An answer that was paid for again, at the operator's share. */
interface Hit {
  readonly kept: KeptAnswer;
  readonly entry: LedgerEntry;
  readonly headers: Readonly<Record<string, string>>;
  readonly pace?: HoldPace;
}

type Pages = ChatStream['pages'];

/** The answers that callers asked to keep (`x-quipu-cache`), for the same request again. */
@Injectable()
export class ChatCache {
  constructor(
    private readonly answers: AnswerCache,
    private readonly paid: PaidRequests,
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    private readonly meters: MeterPrices,
    @Inject(REQUEST_LIMITS) private readonly limits: RequestLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * The place of the answer to a request; undefined where it is not to be kept. The body has
   * every field that the answer depends on, also whether it is a stream. Adapters change under
   * their names, and several prompts have no answer of their own.
   */
  placeOf({ accountId, body, original, others, routingMode, cacheSeconds = 0 }: ChatOrder) {
    if (cacheSeconds <= 0 || others || body.adapter != null) return undefined;
    const model = this.catalog.model(body.model);
    const rate = model && this.catalog.rateFor(model.id, this.clock.now());
    if (!rate) return undefined;
    const asked: readonly unknown[] = original
      ? [original.dialect, original.headers, JSON.parse(original.bytes.toString('utf8'))]
      : [];
    const of = [accountId, model.id, rate.version, routingMode, body, ...asked];
    const key = this.hash(canonicalJson(of));
    return { accountId, key };
  }

  /**
   * The kept answer, paid for; undefined for none.
   * @throws as `PaidRequests.admit`
   */
  async find(order: ChatOrder, place: AnswerPlace): Promise<Hit | undefined> {
    const found = await this.answers.find(place).catch((error: unknown) => this.#failed(error));
    if (!found) return undefined;
    const kept = JSON.parse(found.content) as KeptAnswer;
    const ageSeconds = Math.max(0, Math.floor((this.clock.now() - found.keptAtMs) / 1_000));
    const { entry, pace } = await this.#pay(order, kept, { cacheKey: place.key, ageSeconds });
    const headers = { 'x-quipu-cache': 'hit', age: String(ageSeconds) };
    return { kept, entry, headers, ...(pace && { pace }) };
  }

  /** Keeps a whole answer. It never rejects: an answer that cannot be kept is sent all the same. */
  async keepReply(order: ChatOrder, place: AnswerPlace, reply: ChatReply): Promise<void> {
    await this.#keep(order, place, [reply.text], reply);
  }

  /** The pages of a stream, which is kept once it has ended whole. */
  keepingPages(order: ChatOrder, place: AnswerPlace, { pages, isOriginal = false }: ChatStream) {
    return collected(pages, (lines, { usage, entry, cut }) =>
      entry && !cut
        ? this.#keep(order, place, lines, { usage, entry, isOriginal })
        : Promise.resolve(),
    );
  }

  async #keep(
    order: ChatOrder,
    place: AnswerPlace,
    lines: readonly string[],
    { usage, entry, isOriginal = false }: Pick<ChatReply, 'usage' | 'entry' | 'isOriginal'>,
  ): Promise<void> {
    // An answer that the balance has cut short is wrong for a caller with more money.
    if (outputTokensAsked(order.body) === null && lines.some(isCutShort)) return;
    const kept: KeptAnswer = {
      lines,
      isOriginal,
      usage,
      requestId: order.context.requestId,
      eventId: entry.eventId,
      chargedMicroUsd: entry.chargedMicroUsd.toString(),
    };
    const { cacheSeconds: seconds = 0, context } = order;
    const answer = { subject: context.actor, seconds, content: JSON.stringify(kept) };
    await this.answers.keep(place, answer).catch((error: unknown) => this.#failed(error));
  }

  async #pay(
    order: ChatOrder,
    { requestId, eventId, chargedMicroUsd }: KeptAnswer,
    of: Pick<CachedChatEvidence, 'cacheKey' | 'ageSeconds'>,
  ): Promise<{ readonly entry: LedgerEntry; readonly pace?: HoldPace }> {
    const { model } = order.body;
    const now = this.clock.now();
    const charged = BigInt(chargedMicroUsd);
    const card = this.meters.inForce(now);
    const lines = [cachedLineOf(charged, card?.prices.get(CACHED_METER))];
    const original = { requestId, eventId, chargedMicroUsd };
    const holdEvidence: CachedChatHoldEvidence = { modelAsked: model, original };
    const held = await this.paid.admit(order, {
      purpose: cachedChatProduct.purpose,
      model,
      lines,
      rateCardVersion: card?.rateCardVersion ?? 1,
      evidence: holdEvidence,
      pricedAtMs: now,
      requestMsMax: this.limits.requestMsMax,
    });
    const price = priceOf(lines);
    const saved = price < charged ? charged - price : 0n;
    const evidence: CachedChatEvidence = { original, savedMicroUsd: saved.toString(), ...of };
    const entry = await held.capture({
      ...held.charged(lines),
      usageSource: 'counted',
      outcome: 'completed',
      evidence,
    });
    return { entry, ...held.pace };
  }

  #failed(error: unknown): undefined {
    this.logger.warn({ err: error }, 'the response cache is not available');
    return undefined;
  }
}

export const replyOfHit = ({ kept, entry, headers, pace }: Hit): ChatReply => ({
  text: kept.lines[0] ?? '',
  usage: kept.usage,
  rig: null,
  attempts: [],
  isOriginal: kept.isOriginal,
  entry,
  headers,
  ...(pace && { pace }),
});

/** The chunks in pages of the size that a rig's would have, so that a slow caller is waited for. */
export const streamOfHit = ({ kept, entry, headers, pace }: Hit): ChatStream => ({
  rig: null,
  attempts: [],
  isOriginal: kept.isOriginal,
  pages: pagesOf(kept, entry),
  headers,
  ...(pace && { pace }),
});

const CHUNKS_OF_PAGE = 64;

// eslint-disable-next-line @typescript-eslint/require-await -- the shape of streams from rigs
const pagesOf = async function* ({ lines, usage }: KeptAnswer, entry: LedgerEntry): Pages {
  for (let at = 0; at < lines.length; at += CHUNKS_OF_PAGE) {
    yield lines.slice(at, at + CHUNKS_OF_PAGE);
  }
  return { usage, entry, cut: null };
};

const isCutShort = (line: string): boolean => /"finish_reason":\s*"length"/.test(line);

/**
 * Hands pages through, and their lines to `keep` at the end unless they are too long. Its first
 * page is empty: reading it starts the generator, so that its `finally` runs.
 */
const collected = async function* (
  pages: Pages,
  keep: (lines: readonly string[], receipt: StreamReceipt) => Promise<void>,
): Pages {
  const lines: string[] = [];
  let bytes = 0;
  try {
    yield [];
    for (;;) {
      const page = await pages.next();
      if (page.done) {
        if (bytes <= ANSWER_BYTES_MAX) await keep(lines, page.value);
        return page.value;
      }
      for (const line of page.value) bytes += Buffer.byteLength(line);
      if (bytes <= ANSWER_BYTES_MAX) lines.push(...page.value);
      yield page.value;
    }
  } finally {
    await pages[Symbol.asyncDispose]();
  }
};
