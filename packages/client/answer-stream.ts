import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorOf, QuipuError } from './quipu.error.js';
import { backOffMs, pause } from './retrying-fetch.js';

/** A server-sent event of an answer. */
export interface StreamEvent {
  /** Null: the gateway does not keep the stream, so it cannot be resumed. */
  readonly id: string | null;
  /** Null in the form of chats, whose events have no name. */
  readonly event: string | null;
  readonly data: string;
}

export interface AnswerSource {
  readonly response: Response;
  /** Asks any gateway for the events after this one; null: from the first. */
  readonly resume: (streamId: string, lastEventId: string | null) => Promise<Response>;
  /** Attempts in succession that bring no event. */
  readonly retriesMax: number;
  readonly signal?: AbortSignal | undefined;
}

/** The last events of chats, of responses and of messages. */
const END = '[DONE]';
const ENDS = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'message_stop',
]);

/**
 * The events of one answer, each once and in order, whatever connections break. They are read once.
 * A program that stops early and keeps both ids can resume the stream in another process.
 */
export class AnswerStream implements AsyncIterable<StreamEvent> {
  readonly #source: AnswerSource;
  readonly #isKept: boolean;
  #lastEventId: string | null;

  constructor(source: AnswerSource, lastEventId: string | null = null) {
    const { headers } = source.response;
    this.#source = source;
    this.#isKept = lastEventId !== null || headers.get('x-quipu-resumable') === 'true';
    this.#lastEventId = lastEventId;
  }

  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /**
   * Of the request that is charged for the stream. A retry whose first attempt was answered reads
   * the stream of that attempt, whose id is in the events.
   */
  get requestId(): string {
    const answered = this.#source.response.headers.get('x-request-id') ?? '';
    return this.#lastEventId?.replace(/-\d+$/, '') ?? answered;
  }

  /** @throws QuipuError for an error within the stream, and for one that does not continue */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void> {
    let { response } = this.#source;
    for (let failures = 0; ;) {
      const broken = yield* this.#eventsOf(response, () => (failures = 0));
      if (broken === 'ended') return;
      failures += 1;
      const { retriesMax, resume, signal } = this.#source;
      if (!this.#isKept || failures > retriesMax) throw this.#broken(broken);
      await pause(backOffMs(failures - 1), signal);
      response = await resume(this.requestId, this.#lastEventId);
    }
  }

  /** Returns `ended`, or why the connection ended before the answer. */
  async *#eventsOf(
    { body }: Response,
    received: () => void,
  ): AsyncGenerator<StreamEvent, 'ended' | Error> {
    if (!body) return new Error('the answer has no body');
    const events = body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    try {
      for (;;) {
        const read = await events.read().catch((error: unknown) => error as Error);
        if (read instanceof Error) {
          this.#source.signal?.throwIfAborted();
          return read;
        }
        if (read.done) return new Error('the connection was closed');
        const { id = null, event = null, data } = read.value;
        received();
        this.#rejectError(event, data);
        this.#lastEventId = id ?? this.#lastEventId;
        yield { id, event, data };
        if (data === END || ENDS.has(event ?? '')) return 'ended';
      }
    } finally {
      await events.cancel().catch(() => undefined);
    }
  }

  #rejectError(event: string | null, data: string): void {
    if (event !== 'error' && !data.startsWith('{"error":')) return;
    throw errorOf(JSON.parse(data), null, this.requestId);
  }

  #broken(cause: Error): QuipuError {
    const message = `the stream broke off: ${cause.message}`;
    return new QuipuError(message, 'stream_broken', null, this.requestId);
  }
}
