import { z } from 'zod';
import {
  type RejectedRequestError,
  rejectedField,
  rejectedFields,
} from '#platform/runtime/commands/rejected-request.js';
import { type ChatBody, parseChatBody } from '../chat-body.js';

export const PROMPTS_MAX = 32;
/** As OpenAI has it. */
export const MAX_TOKENS_DEFAULT = 16;
const TOP_LOGPROBS_MAX = 20;

/** Fields that this interface reads; all others are fields of a chat or of the rig. */
export const CompletionBody = z.looseObject({
  model: z.string().min(1).max(256),
  prompt: z.union([z.string(), z.array(z.unknown()).min(1)]),
  max_tokens: z.int().min(1).max(10_000_000).nullish(),
  echo: z.boolean().nullish(),
  best_of: z.int().min(1).nullish(),
  logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
  n: z.int().min(1).nullish(),
});
type CompletionBody = z.infer<typeof CompletionBody>;

/** A request for completions as chats of one user message each. */
export interface CompletionChats {
  readonly prompts: readonly string[];
  readonly bodies: readonly [ChatBody, ...ChatBody[]];
  readonly echo: boolean;
  readonly includesUsage: boolean;
}

/** Fields of a chat whose answer has no place in a text. */
const CHAT_ONLY = ['messages', 'tools', 'functions', 'audio', 'modalities'] as const;

/** @throws RejectedRequestError 400 that names the field */
export const chatsOf = (sent: unknown): CompletionChats => {
  const read = CompletionBody.safeParse(sent);
  if (!read.success) throw rejectedFields(read.error);
  const { prompt, echo, best_of: bestOf, logprobs, suffix, max_tokens, ...rest } = read.data;
  if (suffix != null && suffix !== '') {
    throw rejectedField('suffix', 'a chat model fills no gap; leave suffix out');
  }
  if (bestOf != null && bestOf !== (rest.n ?? 1)) {
    throw rejectedField('best_of', 'every choice is returned; set n, and leave best_of out');
  }
  if (echo === true && logprobs != null) {
    throw rejectedField('echo', 'log probabilities of a prompt are not known; leave echo out');
  }
  const chatOnly = CHAT_ONLY.find((field) => rest[field] != null);
  if (chatOnly !== undefined) throw rejectedField(chatOnly, 'send it to /v1/chat/completions');
  const fields = {
    ...rest,
    ...(logprobs != null && { logprobs: true }),
    ...(logprobs != null && logprobs > 0 && { top_logprobs: logprobs }),
    max_tokens: max_tokens ?? MAX_TOKENS_DEFAULT,
  };
  const prompts = promptsOf(prompt);
  const [first, ...others] = prompts.map((content) =>
    parseChatBody({ ...fields, messages: [{ role: 'user', content }] }),
  );
  if (!first) throw rejectedField('prompt', 'expected at least one prompt');
  return {
    prompts,
    bodies: [first, ...others],
    echo: echo === true,
    includesUsage: first.stream_options?.include_usage === true,
  };
};

const promptsOf = (prompt: CompletionBody['prompt']): readonly string[] => {
  if (typeof prompt === 'string') return [prompt];
  if (prompt.length > PROMPTS_MAX && !isTokens(prompt)) {
    throw rejectedField('prompt', `expected at most ${PROMPTS_MAX} prompts`);
  }
  return prompt.map((one, n) => {
    if (typeof one === 'string') return one;
    throw isTokens(prompt) || isTokens(one)
      ? ofTokens()
      : rejectedField(`prompt[${n}]`, 'expected a string');
  });
};

const isTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token));

/** The tokenizer of a model is its rig's. */
const ofTokens = (): RejectedRequestError =>
  rejectedField(
    'prompt',
    "tokens cannot be read: the model's tokenizer is not known here; send text",
  );
