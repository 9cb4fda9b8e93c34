import { type Usage } from '#areas/inference/rigs/chat-backend.js';
import { type AnswerFormat, type StreamFormat } from '../inference/answer-format.js';
import { type Fields, readAnswer } from '../inference/read-answer.js';
import { namedEvent } from '../sse/sse.js';
import { OutputItems, type StreamEvent } from './output-items.js';
import {
  type ResponseEnd,
  type ResponseFacts,
  type ResponseObject,
  responseObject,
} from './response.object.js';

export interface ResponseWriting extends ResponseFacts {
  /** What the ids of items are made of. */
  readonly key: string;
  /** Seconds since the Unix epoch. */
  readonly now: () => number;
  /**
   * Stores a response that is to be stored. It does not fail: the response has been paid for.
   * @returns whether it can be retrieved
   */
  readonly keep: (response: ResponseObject) => Promise<boolean>;
}

/** Writes the answer of a chat as a response of OpenAI's Responses API. */
export const responseFormat = (writing: ResponseWriting): AnswerFormat => ({
  form: 'response',
  whole: async ({ text, usage }) => {
    const { choices, usage: stated } = readAnswer(text);
    const items = new OutputItems(writing.key);
    for (const choice of choices) items.add(choice);
    items.end();
    return JSON.stringify(await ended(writing, items, usage, stated));
  },
  stream: () => responseStream(writing),
});

/** The response says that it is stored only where it is. */
const ended = async (
  writing: ResponseWriting,
  items: OutputItems,
  usage: Usage,
  stated: Fields | undefined,
): Promise<ResponseObject> => {
  const end = {
    status: 'ended',
    completedAt: writing.now(),
    finishReason: items.finishReason,
    usage,
    stated,
  } as const;
  const whole = responseObject(writing, items.items, { ...end, isStored: true });
  if (await writing.keep(whole)) return whole;
  return responseObject(writing, items.items, { ...end, isStored: false });
};

const responseStream = (writing: ResponseWriting): StreamFormat => {
  const items = new OutputItems(writing.key);
  let stated: Fields | undefined;
  let written = 0;
  const writeAll = (events: readonly StreamEvent[]): string =>
    events
      .map((event) => namedEvent(event.type, null, { ...event, sequence_number: written++ }))
      .join('');
  const now = (end: ResponseEnd): ResponseObject => responseObject(writing, items.items, end);
  return {
    begin: () => {
      const response = now({ status: 'in_progress' });
      return writeAll([
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
      ]);
    },
    page: (lines) =>
      writeAll(
        lines.map(readAnswer).flatMap(({ choices, usage }) => {
          stated = usage ?? stated;
          return choices.flatMap((choice) => items.add(choice));
        }),
      ),
    end: async (usage) => {
      const events = items.end();
      const response = await ended(writing, items, usage, stated);
      const { status } = response;
      const type = status === 'completed' ? 'response.completed' : 'response.incomplete';
      return writeAll([...events, { type, response }]);
    },
    failed: ({ code, message }) => {
      const response = now({ status: 'failed', error: { code, message } });
      return writeAll([{ type: 'response.failed', response }]);
    },
  };
};
