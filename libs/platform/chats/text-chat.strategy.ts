import { type ChatOrder, includesUsage } from './chat-order.js';
import {
  type ChatReply,
  ChatStrategy,
  type ChatStream,
  type StreamReceipt,
} from './chat-strategy.js';
import { usageObject } from './chat-usage.js';

type Fields = Readonly<Record<string, unknown>>;

/** How an answer in texts ended. The charge, if there is one, is durable. */
export interface TextEnd extends StreamReceipt {
  /** Null for an answer that was cut. */
  readonly finishReason: string | null;
  /** Further fields of the whole answer, and of the last chunk of a stream. */
  readonly fields?: Fields;
  /** Further headers of a whole answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose first text has come. */
export interface TextAnswer<End> extends Omit<ChatStream, 'pages'> {
  /** Texts that join to the answer. Read them to the end or dispose of them. */
  readonly texts: AsyncGenerator<string, End, void>;
  /** Fields that begin the answer and every chunk, where they are others than the order's. */
  readonly head?: Fields;
}

/** Whether texts are delivered as they come: then a cut answer is charged for them. */
export type Delivery = 'in-pieces' | 'whole';

/** Answers in the shape of OpenAI, by a model that writes one text. */
export abstract class TextChatStrategy<End> extends ChatStrategy {
  protected abstract begin(
    order: ChatOrder,
    signal: AbortSignal,
    delivery: Delivery,
  ): Promise<TextAnswer<End>>;

  protected abstract endOf(end: End): TextEnd;

  /** @throws RequestCutError for an answer that was cut */
  override async complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply> {
    const { texts, head, ...route } = await this.begin(order, signal, 'whole');
    let content = '';
    let next = await texts.next();
    for (; !next.done; next = await texts.next()) content += next.value;
    const { usage, entry, cut, finishReason, fields, headers } = this.endOf(next.value);
    if (cut) throw cut;
    if (!entry) throw new Error('an answer that is whole was not charged');
    const message = { role: 'assistant', content, refusal: null };
    const text = JSON.stringify({
      ...headOf(order, 'chat.completion', head),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
      usage: usageObject(usage),
      ...fields,
    });
    return { ...route, text, usage, entry, ...(headers && { headers }) };
  }

  override async stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream> {
    const { texts, head, ...route } = await this.begin(order, signal, 'in-pieces');
    const pages = this.#pages(order, texts, head);
    // Started, so that its `finally` ends the hold even if no page is read.
    await pages.next();
    return { ...route, pages };
  }

  /** The first page is empty and available at once. */
  async *#pages(
    order: ChatOrder,
    texts: TextAnswer<End>['texts'],
    given: Fields | undefined,
  ): ChatStream['pages'] {
    const isUsageAsked = includesUsage(order.body);
    const head = {
      ...headOf(order, 'chat.completion.chunk', given),
      // With `include_usage`, the field is in every chunk and null until the last.
      ...(isUsageAsked && { usage: null }),
    };
    const chunk = (delta: Fields, finishReason: string | null, fields: Fields = {}): string => {
      const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
      return JSON.stringify({ ...head, choices: [choice], ...fields });
    };
    try {
      yield [];
      yield [chunk({ role: 'assistant', content: '' }, null)];
      let next = await texts.next();
      for (; !next.done; next = await texts.next()) yield [chunk({ content: next.value }, null)];
      const { usage, entry, cut, finishReason, fields } = this.endOf(next.value);
      if (finishReason !== null) {
        const last = [chunk({}, finishReason, fields)];
        if (isUsageAsked) {
          last.push(JSON.stringify({ ...head, choices: [], usage: usageObject(usage) }));
        }
        yield last;
      }
      return { usage, entry, cut };
    } finally {
      await texts[Symbol.asyncDispose]();
    }
  }
}

/** The fields with which OpenAI's answers and chunks begin. */
const headOf = (
  { body, routingMode, context, receivedAtMs }: ChatOrder,
  object: 'chat.completion' | 'chat.completion.chunk',
  given: Fields = {},
) => ({
  id: `chatcmpl-${context.requestId}`,
  object,
  created: Math.floor(receivedAtMs / 1e3),
  model: body.model,
  routing_mode: routingMode,
  ...given,
});
