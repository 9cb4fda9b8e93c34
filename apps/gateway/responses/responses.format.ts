import {
  type AnsweredFacts,
  endedResponse,
} from '#areas/responses/translation/answered-response.js';
import { type Usage, sumOfUsage } from '#platform/chats/chat-usage.js';
import { type ChatBody } from '#areas/inference/chat-body.js';
import { interruptedEvent } from '../streams/stream-forms.js';
import {
  type AnswerFormat,
  originalFormat,
  type StreamFormat,
  type WholeReply,
} from '../inference/answer-format.js';
import { type ReadAnswer, readAnswer } from '#platform/chats/read-answer.js';
import { namedEvent } from '../sse/sse.js';
import { type McpRounds } from './mcp-rounds.js';
import { type StreamEvent } from '#areas/responses/translation/early-items.js';
import { OutputItems } from '#areas/responses/translation/output-items.js';
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
  /** Null: one chat answers. */
  readonly rounds: McpRounds | null;
}

type Following = ChatBody | null;

/** Writes the answer of a chat, or of several, as a response of OpenAI's Responses API. */
export const responseFormat = (writing: ResponseWriting): AnswerFormat => {
  const answers = new ResponseAnswers(writing);
  const { rounds } = writing;
  return {
    form: 'response',
    ...(rounds && {
      follow: async ({ text, usage }: WholeReply, signal: AbortSignal): Promise<Following> => {
        answers.add([text]);
        const following = answers.follow(rounds, usage, signal);
        for (;;) {
          const next = await following.next();
          if (next.done) return next.value;
        }
      },
    }),
    whole: async ({ text, usage }) => {
      if (!rounds) answers.add([text]);
      return JSON.stringify((await answers.end(usage)).response);
    },
    stream: () => responseStream(writing),
    original: originalResponseFormat(writing.id),
  };
};

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

/** The answers of the chats of one response. */
class ResponseAnswers {
  readonly items: OutputItems;
  #described: ReadAnswer['describedImages'];
  #usage: Usage | undefined;

  constructor(private readonly writing: ResponseWriting) {
    this.items = new OutputItems(writing.key, writing);
  }

  /** @param lines an answer, or chunks of one */
  add(lines: readonly string[]): readonly StreamEvent[] {
    return lines.map(readAnswer).flatMap(({ choices, describedImages }) => {
      this.#described ??= describedImages;
      return choices.flatMap((choice) => this.items.add(choice));
    });
  }

  follow(rounds: McpRounds, usage: Usage, signal: AbortSignal) {
    this.#usage = sumOfUsage(this.#usage, usage);
    return rounds.follow(this.items, this.writing.search ?? null, signal);
  }

  /** @param usage of the last chat */
  async end(usage: Usage) {
    const events = this.items.end();
    const answered = { usage: this.#usage ?? usage, describedImages: this.#described };
    const ended = endedResponse(this.writing, this.items, answered);
    return { events, response: await kept(this.writing, ended) };
  }
}

const responseStream = (writing: ResponseWriting): StreamFormat => {
  const answers = new ResponseAnswers(writing);
  const { items } = answers;
  const { rounds } = writing;
  let written = 0;
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
    page: (lines) => writeAll(answers.add(lines)),
    ...(rounds && {
      follow: async function* (
        usage: Usage,
        signal: AbortSignal,
      ): AsyncGenerator<string, Following, void> {
        const following = answers.follow(rounds, usage, signal);
        for (;;) {
          const next = await following.next();
          if (next.done) return next.value;
          yield writeAll(next.value);
        }
      },
    }),
    end: async (usage) => {
      const { events, response } = await answers.end(usage);
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
