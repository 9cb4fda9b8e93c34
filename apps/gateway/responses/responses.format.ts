import {
  type AnsweredFacts,
  answeredResponse,
  endedResponse,
} from '#areas/responses/translation/answered-response.js';
import { interruptedEvent } from '../streams/stream-forms.js';
import {
  type AnswerFormat,
  originalFormat,
  type StreamFormat,
} from '../inference/answer-format.js';
import { type ReadAnswer, readAnswer } from '#platform/chats/read-answer.js';
import { namedEvent } from '../sse/sse.js';
import { OutputItems, type StreamEvent } from '#areas/responses/translation/output-items.js';
import {
  type ResponseEnd,
  type ResponseObject,
  responseObject,
} from '#areas/responses/translation/response-object.js';

export interface ResponseWriting extends AnsweredFacts {
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
    const response = answeredResponse(writing, readAnswer(text), usage);
    return JSON.stringify(await kept(writing, response));
  },
  stream: () => responseStream(writing),
  original: originalResponseFormat(writing.id),
});

/** The answer of a rig that speaks responses. */
export const originalResponseFormat = (streamId: string): AnswerFormat =>
  originalFormat('response', isEnd, (failure) =>
    interruptedEvent('response', { failure, streamId, events: 0 }),
  );

const isEnd = (event: string): boolean =>
  /^event: response\.(?:completed|incomplete|failed)\n/.test(event);

/** The response says that it is stored only where it is. */
const kept = async (
  { keep }: ResponseWriting,
  response: ResponseObject,
): Promise<ResponseObject> => ((await keep(response)) ? response : { ...response, store: false });

const responseStream = (writing: ResponseWriting): StreamFormat => {
  const items = new OutputItems(writing.key, writing.search);
  let written = 0;
  let described: ReadAnswer['describedImages'];
  const writeAll = (events: readonly StreamEvent[]): string =>
    events
      .map((event) => namedEvent(event.type, null, { ...event, sequence_number: written++ }))
      .join('');
  const now = (end: ResponseEnd): ResponseObject => responseObject(writing, items.items, end);
  return {
    begin: () => {
      const response = { ...now({ status: 'in_progress' }), output: [] };
      return writeAll([
        { type: 'response.created', response },
        { type: 'response.in_progress', response },
        ...items.begin(),
      ]);
    },
    page: (lines) =>
      writeAll(
        lines.map(readAnswer).flatMap(({ choices, describedImages }) => {
          described ??= describedImages;
          return choices.flatMap((choice) => items.add(choice));
        }),
      ),
    end: async (usage) => {
      const events = items.end();
      const answered = { usage, describedImages: described };
      const response = await kept(writing, endedResponse(writing, items, answered));
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
