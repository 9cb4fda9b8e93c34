import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import {
  type Fields,
  listOf,
  type ReadAnswer,
  type ReadChoice,
} from '#platform/chats/read-answer.js';
import { type CompletionChats } from './completion-body.js';

export interface CompletionFacts {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
  readonly routingMode: string;
  /** The prompts where they are to be repeated; each has `choicesEach` choices. */
  readonly echoed: readonly string[];
  readonly choicesEach: number;
  readonly includesUsage: boolean;
}

/** @param atMs when the request came, in milliseconds since the Unix epoch */
export const completionFacts = (
  { prompts, bodies: [body], echo, includesUsage }: CompletionChats,
  requestId: string,
  atMs: number,
): CompletionFacts => ({
  id: `cmpl-${requestId}`,
  created: Math.floor(atMs / 1e3),
  model: body.model,
  routingMode: body.routing_mode,
  echoed: echo ? prompts : [],
  choicesEach: body.n ?? 1,
  includesUsage,
});

/** The answer of a chat as OpenAI's legacy text completion. */
export const completionObject = (
  facts: CompletionFacts,
  { choices, usage: stated, systemFingerprint }: ReadAnswer,
  charged: Usage,
) => ({
  ...headOf(facts),
  choices: choices.map((choice) => choiceOf(choice, echoOf(facts, choice.index))),
  usage: { ...stated, ...usageObject(charged) },
  ...(systemFingerprint !== undefined && { system_fingerprint: systemFingerprint }),
});

export const headOf = ({ id, created, model, routingMode }: CompletionFacts) => ({
  id,
  object: 'text_completion',
  created,
  model,
  routing_mode: routingMode,
});

export const echoOf = ({ echoed, choicesEach }: CompletionFacts, index: number): string =>
  echoed[Math.floor(index / choicesEach)] ?? '';

/** @param at the characters of the choice before this piece of it */
export const choiceOf = (choice: ReadChoice, prompt: string, at = 0) => {
  const { index, text, declined, logprobs, finishReason } = choice;
  return {
    index,
    text: `${prompt}${text}${declined}`,
    logprobs: logprobs && legacyLogprobs(logprobs, at + prompt.length),
    finish_reason: finishReason,
  };
};

/** @param from the characters of the choice before the first token */
const legacyLogprobs = ({ content }: Fields, from: number) => {
  const tokens = listOf(content);
  let offset = from;
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top_logprobs: top }) =>
      Object.fromEntries(listOf(top).map(({ token, logprob }) => [String(token), logprob])),
    ),
    text_offset: tokens.map(({ token }) => {
      const at = offset;
      offset += String(token).length;
      return at;
    }),
  };
};
