import { type ChatReply } from '#platform/chats/chat-strategy.js';
import {
  choiceOf,
  type CompletionFacts,
  completionObject,
  echoOf,
  headOf,
} from '#areas/inference/completions/completion-object.js';
import { usageObject } from '#platform/chats/chat-usage.js';
import { type Fields, readAnswer, type ReadChoice } from '#platform/chats/read-answer.js';
import { openAiEnvelope } from '../errors/envelope.js';
import { type AnswerFormat, type StreamFormat } from '../inference/answer-format.js';
import { dataEvent, DONE } from '../sse/sse.js';

/** Writes the answer of a chat as OpenAI's legacy text completion. */
export const completionFormat = (facts: CompletionFacts): AnswerFormat => ({
  form: 'completion',
  whole: ({ text, usage }: ChatReply) =>
    JSON.stringify(completionObject(facts, readAnswer(text), usage)),
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
      return `${dataEvent({ ...head, choices: [], usage: usageObject(usage) })}${DONE}`;
    },
    failed: (failure) => dataEvent({ ...openAiEnvelope(failure), choices: [ENDED_BY_ERROR] }),
  };
};

const ENDED_BY_ERROR = { index: 0, text: '', logprobs: null, finish_reason: 'error' } as const;
