import { type GuardedTexts } from '#events/guards/guard.events.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { type ChatStream } from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { parseGuardRules } from '../rules/guard-rules.file.js';
import { type GuardWebhooks } from '../webhooks/guard-webhooks.js';
import { GuardedChat } from './guarded-chat.js';

export interface GuardWorld {
  /** Receives the hits. */
  readonly recorded: Omit<GuardedTexts, 'readAt'>[];
  readonly verdictOf: GuardWebhooks['verdictOf'];
}

/** The guard of a chat of account 7, with the rules of a file. */
export const guardWith = (
  lines: readonly string[],
  { recorded, verdictOf }: GuardWorld,
): GuardedChat => {
  const rules = parseGuardRules(['rules:', ...lines.map((line) => `  - { ${line} }`)].join('\n'));
  const work = { accountId: '7', model: 'acme/m', requestId: null };
  const hits = { record: (texts: Omit<GuardedTexts, 'readAt'>) => void recorded.push(texts) };
  return new GuardedChat(rules, work, { hits, webhooks: { verdictOf } });
};

export const USAGE: Usage = { promptTokens: 3, completionTokens: 5, source: 'provider' };

const never = new AbortController().signal;

type Json = Readonly<Record<string, unknown>>;

export const completionOf = (message: Json): Json => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});

export const chunk = (
  delta: Json,
  finish: string | null = null,
  index = 0,
  more: Json = {},
): string =>
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
export const streamed = async (
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

export const choicesIn = (chunks: readonly Json[]) =>
  chunks.flatMap(
    ({ choices }) =>
      choices as readonly {
        readonly index: number;
        readonly delta: Delta;
        readonly finish_reason: string | null;
      }[],
  );

export const joined = (chunks: readonly Json[], field: 'content' | 'reasoning_content'): string =>
  choicesIn(chunks)
    .map(({ delta }) => delta[field] ?? '')
    .join('');

export const finishesOf = (chunks: readonly Json[]) =>
  choicesIn(chunks).flatMap(({ finish_reason: finish }) => (finish === null ? [] : [finish]));

export const letters = (text: string, field = 'content'): readonly string[] =>
  Array.from(text, (letter) => chunk({ [field]: letter }));
