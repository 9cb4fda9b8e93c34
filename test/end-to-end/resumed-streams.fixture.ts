import {
  chunksOf,
  DONE,
  eventOf,
  type Script,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { MODEL } from './quipu.harness.js';

export const WORDS = ['Knots', ' keep', ' accounts', ',', ' cords', ' keep', ' knots', '.'];
const PROMPT_TOKENS = 9;
const TEXTS = [
  ...chunksOf(...WORDS).map(eventOf),
  eventOf(usageChunkOf(statement(PROMPT_TOKENS, WORDS.length))),
  DONE,
];

/** Of an answer as a chat: the role, the words, the stop, and the end. */
export const EVENTS = WORDS.length + 3;
/** 1 micro-dollar for a token of the prompt, 2 for one of the answer. */
export const MICRO_USD = String(PROMPT_TOKENS + 2 * WORDS.length);

/** An upstream that sends each answer as far as the test allows, by the prompt. */
export class PacedUpstream {
  readonly #allowed = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  /** @param chunks how many are sent, `all` with the end */
  allow(prompt: string, chunks: number | 'all'): void {
    this.#allowed.set(prompt, chunks === 'all' ? TEXTS.length : chunks);
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  readonly script: Script = (response, { body }) => {
    const messages = body['messages'] as readonly { readonly content: string }[];
    const prompt = messages.at(-1)?.content ?? '';
    const send = async (): Promise<void> => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [n, text] of TEXTS.entries()) {
        while (n >= (this.#allowed.get(prompt) ?? TEXTS.length)) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
        }
        response.write(text);
      }
      response.end();
    };
    void send();
  };
}

export interface Interface {
  readonly route: string;
  readonly body: (prompt: string) => object;
}

export const CHAT: Interface = {
  route: '/v1/chat/completions',
  body: (prompt) => ({ model: MODEL, messages: [{ role: 'user', content: prompt }], stream: true }),
};

/** The interfaces that are translated to chats. */
export const OTHERS: readonly Interface[] = [
  {
    route: '/v1/completions',
    body: (prompt) => ({ model: MODEL, prompt, max_tokens: 50, stream: true }),
  },
  { route: '/v1/responses', body: (prompt) => ({ model: MODEL, input: prompt, stream: true }) },
  { route: '/v1/messages', body: (prompt) => ({ ...CHAT.body(prompt), max_tokens: 50 }) },
];

/** The events of a text, each with its id and the comments before it. */
export const eventsIn = (text: string): readonly string[] =>
  text.match(/(?:: .*\n\n)*id: [^]*?\n\n/g) ?? [];

/**
 * The content that does not depend on the time of the request: neither ids nor the comment with the
 * cost.
 */
export const contentOf = (text: string): string =>
  text.replace(/^id: .*\n/gm, '').replace(/^: .*\n\n/gm, '');

/** Reads this many events, and the text that they came in. */
export const readEvents = async (response: Response, count: number): Promise<string> => {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (eventsIn(text).length < count) {
    const read = await reader.read();
    if (!read.value) throw new Error(`the stream ended early: ${text}`);
    text += decoder.decode(read.value, { stream: true });
  }
  return eventsIn(text).slice(0, count).join('');
};
