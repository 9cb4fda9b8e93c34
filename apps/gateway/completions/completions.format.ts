import { type ChatReply } from '#areas/inference/chat-strategies.js';
import { type Usage } from '#areas/inference/rigs/chat-backend.js';
import { openAiEnvelope } from '../errors/envelope.js';
import { type AnswerFormat, type StreamFormat } from '../inference/answer-format.js';
import { type Fields, listOf, readAnswer, type ReadChoice } from '../inference/read-answer.js';
import { dataEvent, DONE } from '../sse/sse.js';

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

/** Writes the answer of a chat as OpenAI's legacy text completion. */
export const completionFormat = (facts: CompletionFacts): AnswerFormat => ({
  form: 'completion',
  whole: ({ text, usage }: ChatReply) => {
    const { choices, usage: stated, systemFingerprint } = readAnswer(text);
    return JSON.stringify({
      ...headOf(facts),
      choices: choices.map((choice) => choiceOf(choice, echoOf(facts, choice.index))),
      usage: { ...stated, ...statementOf(usage) },
      ...(systemFingerprint !== undefined && { system_fingerprint: systemFingerprint }),
    });
  },
  stream: () => completionStream(facts),
});

const completionStream = (facts: CompletionFacts): StreamFormat => {
  const head = headOf(facts);
  /** The characters of each choice that are written. */
  const lengths = new Map<number, number>();
  const written = (choice: ReadChoice): Fields | null => {
    const { index, finishReason } = choice;
    const at = lengths.get(index);
    const shown = choiceOf(choice, at === undefined ? echoOf(facts, index) : '', at);
    lengths.set(index, (at ?? 0) + shown.text.length);
    return shown.text === '' && finishReason === null ? null : shown;
  };
  return {
    begin: () => '',
    page: (lines) =>
      lines
        .flatMap((line) => readAnswer(line).choices.map(written))
        .filter((choice) => choice !== null)
        .map((choice) => dataEvent({ ...head, choices: [choice] }))
        .join(''),
    end: (usage) => {
      if (!facts.includesUsage) return DONE;
      return `${dataEvent({ ...head, choices: [], usage: statementOf(usage) })}${DONE}`;
    },
    failed: (failure) => dataEvent({ ...openAiEnvelope(failure), choices: [ENDED_BY_ERROR] }),
  };
};

const ENDED_BY_ERROR = { index: 0, text: '', logprobs: null, finish_reason: 'error' } as const;

const headOf = ({ id, created, model, routingMode }: CompletionFacts) => ({
  id,
  object: 'text_completion',
  created,
  model,
  routing_mode: routingMode,
});

const echoOf = ({ echoed, choicesEach }: CompletionFacts, index: number): string =>
  echoed[Math.floor(index / choicesEach)] ?? '';

/** @param at the characters of the choice before this piece of it */
const choiceOf = (choice: ReadChoice, prompt: string, at = 0) => {
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

const statementOf = ({ promptTokens, completionTokens }: Usage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
