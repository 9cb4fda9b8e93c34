import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type GuardedTexts } from '#events/guards/guard.events.js';
import { type ChatBody, type ChatOrder } from '#platform/chats/chat-order.js';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { type ChatReply, type ChatStream } from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { type GuardWebhooks } from '../webhooks/guard-webhooks.js';
import { guardWith } from './guarded-chat.fixture.js';
import { type GuardedChat, TEXT_UNITS_MAX } from './guarded-chat.js';

type Json = Readonly<Record<string, unknown>>;

const USAGE: Usage = { promptTokens: 3, completionTokens: 5, source: 'provider' };
const never = new AbortController().signal;
const MAIL = 'ada@knots.example';
const CARD = '4242 4242 4242 4242';

let recorded: Omit<GuardedTexts, 'readAt'>[];
let verdictOf: GuardWebhooks['verdictOf'];

beforeEach(() => {
  recorded = [];
  verdictOf = () => Promise.reject(new Error('away'));
});

const guardOf = (...lines: readonly string[]): GuardedChat =>
  guardWith(lines, { recorded, verdictOf });

const REDACT = 'id: mail, what: email, on: both, do: redact';
const BLOCK = 'id: cards, what: card, on: both, do: block';
const FLAG = 'id: seen, what: email, on: both, do: flag';

const asking = (content: unknown, more: Json = {}): ChatBody => ({
  model: 'acme/m',
  messages: [{ role: 'user', content }],
  ...more,
});

describe('the prompts of a chat', () => {
  it('are redacted wherever they have text, and are left alone where they have none', async () => {
    const guard = guardOf(REDACT);
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${MAIL}` } };
    const body = asking([{ type: 'text', text: `I am ${MAIL}` }, image], {
      user: MAIL,
      tools: [{ type: 'function', function: { name: 'f', description: `ask ${MAIL}` } }],
      model: 'acme/m',
    });
    const { body: sent } = await guard.request({ body });
    expect(sent).toEqual({
      ...asking([{ type: 'text', text: 'I am [redacted:mail]' }, image]),
      user: '[redacted:mail]',
      tools: [{ type: 'function', function: { name: 'f', description: 'ask [redacted:mail]' } }],
    });
    expect(recorded).toMatchObject([
      { on: 'request', hits: [{ rule: 'mail', does: 'redact', hasFailed: false }] },
    ]);
    expect(JSON.stringify(recorded)).not.toContain('knots');
    const clean = { body: asking('Hello') };
    expect(await guard.request(clean)).toBe(clean);
    expect(recorded).toHaveLength(1);
  });

  it('of several prompts and of the request as it came are redacted alike', async () => {
    const sent = { model: 'acme/m', system: `for ${MAIL}`, messages: [], max_tokens: 5 };
    const original = { dialect: 'messages', bytes: Buffer.from(JSON.stringify(sent)) } as const;
    const prompts = { body: asking('a'), others: [asking(MAIL)], original };
    const guarded = await guardOf(REDACT).request(prompts);
    expect(guarded.others[0]?.messages[0]?.content).toBe('[redacted:mail]');
    expect(JSON.parse(guarded.original.bytes.toString())).toEqual({
      ...sent,
      system: 'for [redacted:mail]',
    });
  });

  it('leaves references, signed reasoning and bytes as they are', async () => {
    const parts = [
      { type: 'thinking', thinking: MAIL, signature: MAIL },
      { type: 'tool_use', id: MAIL, name: 'f', input: { to: MAIL, id: MAIL } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: MAIL } },
    ];
    const { body } = await guardOf(REDACT).request({ body: asking(parts) });
    expect(body.messages[0]?.content).toEqual([
      parts[0],
      { ...parts[1], input: { to: '[redacted:mail]', id: '[redacted:mail]' } },
      parts[2],
    ]);
  });

  it('are blocked by the id of the rule, without their text', async () => {
    const blocked = guardOf(BLOCK).request({ body: asking(`pay by ${CARD}`) });
    await expect(blocked).rejects.toMatchObject({
      code: 'guard_blocked',
      detail: expect.not.stringContaining('4242'),
      metadata: { rule: 'cards' },
    });
    expect(recorded).toMatchObject([{ hits: [{ rule: 'cards', does: 'block', matches: 1 }] }]);
  });

  it('pass with a flag, and a check records only what it blocks', async () => {
    const guard = guardOf(FLAG, BLOCK);
    const prompts = { body: asking(`${MAIL} ${MAIL}`) };
    await guard.check(prompts);
    expect(recorded).toEqual([]);
    expect(await guard.request(prompts)).toBe(prompts);
    expect(recorded).toMatchObject([{ hits: [{ rule: 'seen', matches: 2 }] }]);
    await expect(guard.check({ body: asking(CARD) })).rejects.toMatchObject({
      code: 'guard_blocked',
    });
    expect(recorded).toHaveLength(2);
  });

  it('are read by a webhook, after the rules before it', async () => {
    const hook = (more: string) =>
      `id: hook, what: webhook, url: "https://guard.example/", on: request, ${more}`;
    const asked: (readonly string[])[] = [];
    verdictOf = (_rule, _work, texts) => {
      asked.push(texts);
      return Promise.resolve({ matches: 2, texts: texts.map((text) => `${text}!`) });
    };
    const prompts = { body: asking(`I am ${MAIL}`) };
    const { body } = await guardOf(hook('do: redact'), REDACT).request(prompts);
    expect(asked).toEqual([['I am [redacted:mail]']]);
    expect(body.messages[0]?.content).toBe('I am [redacted:mail]!');
    expect(await guardOf(hook('do: flag')).request(prompts)).toBe(prompts);
    await expect(guardOf(hook('do: block')).request(prompts)).rejects.toMatchObject({
      code: 'guard_blocked',
      metadata: { rule: 'hook' },
    });
    verdictOf = () => Promise.reject(new Error('away'));
    await expect(guardOf(hook('do: flag')).request(prompts)).rejects.toMatchObject({
      code: 'guard_failed',
    });
    expect(recorded.at(-1)).toMatchObject({ hits: [{ matches: 0, hasFailed: true }] });
    const open = guardOf(hook('do: block, fails: open'));
    expect(await open.request(prompts)).toBe(prompts);
  });

  it('have a bounded length, unless all rules fail open', async () => {
    const prompts = { body: asking('x'.repeat(TEXT_UNITS_MAX + 1)) };
    await expect(guardOf(FLAG).request(prompts)).rejects.toMatchObject({
      code: 'guard_text_too_long',
    });
    expect(await guardOf(`${FLAG}, fails: open`).request(prompts)).toBe(prompts);
    expect(recorded).toMatchObject([
      { hits: [{ rule: 'seen', matches: 0, hasFailed: true }] },
      { hits: [{ rule: 'seen', matches: 0, hasFailed: true }] },
    ]);
  });
});

const completionOf = (message: Json): Json => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});

describe('a whole answer', () => {
  it('is redacted in its texts and calls, without the probabilities of its tokens', async () => {
    const call = {
      id: 'x',
      type: 'function',
      function: { name: 'f', arguments: `{"a":"${MAIL}"}` },
    };
    const completion = completionOf({ content: `To ${MAIL}`, tool_calls: [call] });
    const answer = await guardOf(REDACT).answer(completion);
    expect(answer['choices']).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'To [redacted:mail]',
          tool_calls: [{ ...call, function: { name: 'f', arguments: '{"a":"[redacted:mail]"}' } }],
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
    expect(recorded).toMatchObject([{ on: 'answer', hits: [{ rule: 'mail', matches: 2 }] }]);
  });

  it('is empty where it is blocked, and the same where nothing is found', async () => {
    const guard = guardOf(BLOCK);
    const { choices } = await guard.answer(completionOf({ content: CARD }));
    expect(choices).toMatchObject([
      { message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' },
    ]);
    const clean = completionOf({ content: 'Hello' });
    expect(await guard.answer(clean)).toBe(clean);
  });

  it('keeps the reply where nothing is found', async () => {
    const reply = {
      text: JSON.stringify(completionOf({ content: 'a' })),
      usage: USAGE,
    } as ChatReply;
    const next = () => Promise.resolve(reply);
    expect(await guardOf(BLOCK).complete(orderOf(), never, next)).toBe(reply);
  });

  it('is of a chat: a request that no chat can express is rejected', async () => {
    const bytes = Buffer.from('{"thinking":{"type":"enabled"}}');
    const original = { dialect: 'messages', bytes, untranslated: 'thinking' } as const;
    const order: ChatOrder = { ...orderOf(), original };
    const next = () => Promise.reject(new Error('asked'));
    await expect(guardOf(REDACT).complete(order, never, next)).rejects.toMatchObject({
      failure: { status: 400, param: 'thinking' },
    });
    const onRequest = guardOf('id: a, what: email, on: request, do: redact');
    await expect(onRequest.complete(order, never, next)).rejects.toThrow('asked');
  });
});

const chunk = (delta: Json, finish: string | null = null, index = 0, more: Json = {}): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: finish }],
    ...more,
  });

interface Streamed {
  readonly chunks: readonly Json[];
  readonly cut: unknown;
  readonly asked: number;
}

/** Reads the stream of a guard over these pages of chunks. */
const streamed = async (
  guard: GuardedChat,
  lines: readonly string[],
  order = orderOf({ stream: true }),
): Promise<Streamed> => {
  let asked = 0;
  const next = (_: ChatOrder, signal: AbortSignal): Promise<ChatStream> => {
    async function* pages(): ChatStream['pages'] {
      for (const line of lines) {
        if (signal.aborted) break;
        asked += 1;
        await Promise.resolve();
        yield [line];
      }
      return { usage: USAGE, entry: null, cut: cutOf(signal) };
    }
    return Promise.resolve({ rig: 'r', attempts: [], pages: pages() });
  };
  const { pages } = await guard.stream(order, never, next);
  const chunks: Json[] = [];
  for (;;) {
    const page = await pages.next();
    if (page.done) return { chunks, cut: page.value.cut, asked };
    chunks.push(...page.value.map((line) => JSON.parse(line) as Json));
  }
};

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

const choicesIn = (chunks: readonly Json[]) =>
  chunks.flatMap(
    ({ choices }) =>
      choices as readonly {
        readonly index: number;
        readonly delta: Delta;
        readonly finish_reason: string | null;
      }[],
  );

const joined = (chunks: readonly Json[], field: 'content' | 'reasoning_content'): string =>
  choicesIn(chunks)
    .map(({ delta }) => delta[field] ?? '')
    .join('');

const finishesOf = (chunks: readonly Json[]) =>
  choicesIn(chunks).flatMap(({ finish_reason: finish }) => (finish === null ? [] : [finish]));

const letters = (text: string, field = 'content'): readonly string[] =>
  Array.from(text, (letter) => chunk({ [field]: letter }));

describe('a streamed answer', () => {
  it('is redacted as the whole text, wherever it is cut', async () => {
    const text = `Hi ${MAIL}, your card ${CARD} and ${MAIL}${' end'.repeat(100)}`;
    const redact = [REDACT, 'id: cards, what: card, on: answer, do: redact'];
    const whole = await guardOf(...redact).answer(completionOf({ content: text }));
    const [{ message }] = whole['choices'] as [{ readonly message: { readonly content: string } }];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 }),
        async (cuts) => {
          let at = 0;
          const parts = [...cuts, text.length].map((size) => text.slice(at, (at += size)));
          const lines = [
            chunk({ role: 'assistant', content: '' }),
            ...parts.map((content) => chunk({ content })),
            chunk({}, 'stop'),
          ];
          const { chunks } = await streamed(guardOf(...redact), lines);
          expect(joined(chunks, 'content')).toBe(message.content);
          expect(choicesIn(chunks)[0]?.delta).toEqual({ role: 'assistant', content: '' });
          expect(finishesOf(chunks)).toEqual(['stop']);
          expect(choicesIn(chunks).at(-1)?.finish_reason).toBe('stop');
        },
      ),
      { numRuns: 50 },
    );
  });

  it('delivers reasoning before the text that follows it, and the arguments of calls', async () => {
    const call = (part: string, more: Json = {}) =>
      chunk({ tool_calls: [{ index: 0, ...more, function: { arguments: part } }] });
    const { chunks } = await streamed(guardOf(REDACT), [
      ...letters(`for ${MAIL}`, 'reasoning_content'),
      ...letters('Hello'),
      call('', { id: 'x', type: 'function' }),
      call('{"to":"ada@'),
      call('knots.example"}'),
      chunk({}, 'tool_calls'),
    ]);
    expect(joined(chunks, 'reasoning_content')).toBe('for [redacted:mail]');
    expect(joined(chunks, 'content')).toBe('Hello');
    const order = choicesIn(chunks).flatMap(({ delta }) => Object.keys(delta));
    expect(order).toEqual(['reasoning_content', 'content', 'tool_calls', 'tool_calls']);
    const sent = choicesIn(chunks).flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(sent.map((one) => one.function.arguments).join('')).toBe('{"to":"[redacted:mail]"}');
  });

  it('ends with content_filter where it is blocked, and stops the rig', async () => {
    const lines = [...letters(`${'a '.repeat(300)}${CARD}${' b'.repeat(300)}`), chunk({}, 'stop')];
    const order = orderOf({ stream: true, stream_options: { include_usage: true } });
    const { chunks, cut, asked } = await streamed(guardOf(BLOCK), lines, order);
    expect(cut).toBeNull();
    expect(asked).toBeLessThan(lines.length - 200);
    expect(joined(chunks, 'content')).toMatch(/^(a )+$/);
    expect(finishesOf(chunks)).toEqual(['content_filter']);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 5 },
    });
    expect(recorded).toMatchObject([{ on: 'answer', hits: [{ rule: 'cards', does: 'block' }] }]);
  });

  it('ends one choice and continues another', async () => {
    const lines = [
      chunk({ content: CARD }, null, 0),
      chunk({ content: 'fine' }, null, 1),
      chunk({ content: ' late' }, 'stop', 0),
      chunk({}, 'stop', 1),
    ];
    const { chunks, asked } = await streamed(guardOf(BLOCK), lines, orderOf({ n: 2 }));
    expect(asked).toBe(4);
    expect(joined(chunks, 'content')).toBe('fine');
    expect(choicesIn(chunks).filter(({ finish_reason: finish }) => finish !== null)).toMatchObject([
      { index: 0, finish_reason: 'content_filter' },
      { index: 1, finish_reason: 'stop' },
    ]);
  });

  it('goes through at once where it is only flagged, and where no rule reads answers', async () => {
    const lines = [...letters(`is ${MAIL}`), chunk({}, 'stop')];
    const { chunks } = await streamed(guardOf(FLAG), lines);
    expect(chunks).toEqual(lines.map((line) => JSON.parse(line) as Json));
    expect(recorded).toMatchObject([{ hits: [{ rule: 'seen', matches: 1 }] }]);
    const onRequest = guardOf('id: a, what: email, on: request, do: redact');
    expect((await streamed(onRequest, lines)).chunks).toHaveLength(lines.length);
  });

  it('delivers what it holds where the rig states no end', async () => {
    const { chunks } = await streamed(guardOf(REDACT), letters(`to ${MAIL}`));
    expect(joined(chunks, 'content')).toBe('to [redacted:mail]');
  });
});
