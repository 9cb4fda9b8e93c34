import { type ChatBody } from '#areas/inference/chat-body.js';
import { type ChatReply } from '#platform/chats/chat-strategy.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Failure, openAiEnvelope } from '../errors/envelope.js';
import { dataEvent, dataLine, DONE } from '../sse/sse.js';
import { type StreamForm } from '../streams/stream-forms.js';

export type WholeReply = Pick<ChatReply, 'text' | 'usage'>;

/**
 * How an interface writes the answer of a chat. Its methods do not fail, but for `follow`: the chat
 * is paid for.
 */
export interface AnswerFormat {
  readonly form: StreamForm;
  /**
   * The chat that follows an answer, after the work between both; null: none does. Default: none.
   * It takes every answer, so that `whole` then writes them all.
   * @throws the error of the request
   */
  follow?(reply: WholeReply, signal: AbortSignal): Promise<ChatBody | null>;
  /** The whole answer as JSON. */
  whole(reply: WholeReply): string | Promise<string>;
  /** A writer of one stream. */
  stream(): StreamFormat;
  /** For the answer of a rig that speaks the caller's dialect. Default: this format. */
  readonly original?: AnswerFormat;
}

/** The format for an answer, by who has made it. */
export const formatFor = (
  format: AnswerFormat = chatFormat,
  { isOriginal }: Pick<ChatReply, 'isOriginal'>,
): AnswerFormat => (isOriginal === true ? (format.original ?? format) : format);

/** Writes a stream as server-sent events. */
export interface StreamFormat {
  /** The text before the first chunk; empty for nothing. */
  begin(): string;
  /** @param lines chunks of a chat as JSON, a line each */
  page(lines: readonly string[]): string;
  /**
   * The text of the work after a chat, and the chat that follows it; null: none. Default: none.
   * @throws the error of the request
   */
  follow?(usage: Usage, signal: AbortSignal): AsyncGenerator<string, ChatBody | null, void>;
  /** The end of a whole answer, once the charge is durable. */
  end(usage: Usage): string | Promise<string>;
  /** The end of a stream that has failed or was cut: the status line is already sent. */
  failed(failure: Failure): string;
}

const ENDED_BY_ERROR = { index: 0, delta: {}, finish_reason: 'error' } as const;

const chatStream: StreamFormat = {
  begin: () => '',
  page: (lines) => lines.map(dataLine).join(''),
  end: () => DONE,
  failed: (failure) => dataEvent({ ...openAiEnvelope(failure), choices: [ENDED_BY_ERROR] }),
};

/** OpenAI's chat completions: what rigs answer, unchanged. */
export const chatFormat: AnswerFormat = {
  form: 'chat',
  whole: ({ text }) => text,
  stream: () => chatStream,
};

/**
 * The answer of a rig in the caller's own dialect. Its last event is held back until the charge is
 * durable.
 * @param isLast by the text of an event
 */
export const originalFormat = (
  form: StreamForm,
  isLast: (event: string) => boolean,
  failed: StreamFormat['failed'],
): AnswerFormat => ({
  form,
  whole: ({ text }) => text,
  stream: () => {
    let last = '';
    return {
      begin: () => '',
      page: (events) => {
        last = events.find(isLast) ?? last;
        return events
          .filter((event) => !isLast(event))
          .map((event) => `${event}\n\n`)
          .join('');
      },
      end: () => (last === '' ? '' : `${last}\n\n`),
      failed,
    };
  },
});
