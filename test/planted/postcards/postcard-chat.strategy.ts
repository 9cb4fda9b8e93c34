import { Inject, Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { fieldsOf, textOf } from '#platform/chats/read-answer.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { type Clock } from '#platform/kernel/clock.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { postcardProduct, RATE_CARD_VERSION, wordLine } from './postcard.product.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

/** The routing mode of chats that become postcards. */
export const POSTCARD_MODE = 'postcard';

const REQUEST_MS_MAX = 60_000;

/** Answers a chat with the words of its last message that fit on a postcard. */
@Injectable()
export class PostcardChatStrategy extends TextChatStrategy<TextEnd> {
  constructor(
    private readonly paid: PaidRequests,
    @Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws DomainError of the ledger */
  protected override async begin(order: ChatOrder): Promise<TextAnswer<TextEnd>> {
    const { wordsMax, microUsdPerWord } = this.settings;
    const held = await this.paid.admit(order, {
      purpose: postcardProduct.purpose,
      lines: [wordLine(wordsMax, microUsdPerWord)],
      rateCardVersion: RATE_CARD_VERSION,
      evidence: {},
      pricedAtMs: this.clock.now(),
      requestMsMax: REQUEST_MS_MAX,
    });
    const asked = textOf(fieldsOf(order.body.messages.at(-1))['content']).split(' ');
    const words = asked.slice(0, wordsMax);
    const entry = await held.capture({
      ...held.charged([wordLine(words.length, microUsdPerWord)]),
      usageSource: 'counted',
      outcome: 'completed',
      evidence: { postcardId: order.context.requestId },
    });
    const counts = { promptTokens: asked.length, completionTokens: words.length };
    const usage = { ...counts, source: 'counted' } as const;
    const end = { usage, entry, cut: null, finishReason: 'stop' };
    return { rig: null, attempts: [], ...held.pace, texts: textsOf(words, end) };
  }

  protected override endOf(end: TextEnd): TextEnd {
    return end;
  }
}

async function* textsOf(
  words: readonly string[],
  end: TextEnd,
): AsyncGenerator<string, TextEnd, void> {
  for (const [at, word] of words.entries()) yield await Promise.resolve(at ? ` ${word}` : word);
  return end;
}
