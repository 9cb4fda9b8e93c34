import { type Dispatcher } from 'undici';
import { type ChatAnswer, type ChatChunk, type ChatRequest } from './chat-backend.js';
import { type JsonObject, RigError, type Usage } from './chat-backend.js';
import { keepSource } from './json-source.js';
import { ANSWER_LEVELS_MAX, isDeeperThan } from './nesting.js';
import {
  failureOfConnection,
  failureOfErrorChunk,
  failureOfResponse,
  retryAfterMsOf,
} from './rig-failure.js';
import { ServerSentEvents } from './server-sent-events.js';
import {
  countedAnswerTokens,
  countedPromptTokens,
  deltasOf,
  isObject,
  statedUsage,
  usageObject,
} from './token-usage.js';

export interface ExchangeLimits {
  /** The rig's name, for messages. */
  readonly rig: string;
  /** Bytes of a whole answer, and characters of one event of a stream. */
  readonly answerBytesMax: number;
  /** Bytes parsed and not yet taken, beyond which the socket is paused. */
  readonly pendingBytesMax: number;
  /** Milliseconds since the epoch, to read a `Retry-After` date. */
  readonly now: () => number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const ONCE = { once: true } as const;

/** A longer error page is cut; only its `error` object is read. */
const ERROR_BYTES_MAX = 65_536;

/**
 * One request and its answer, as the HTTP client reports it. `settled` is final: later events of
 * the connection are ignored.
 */
export abstract class UpstreamExchange implements Dispatcher.DispatchHandler {
  protected controller: Dispatcher.DispatchController | null = null;
  protected settled = false;
  protected failure: RigError | null = null;
  private status = 0;
  private retryAfterMs: number | null = null;
  private body: Buffer[] = [];
  private bodyBytes = 0;

  constructor(protected readonly limits: ExchangeLimits) {}

  /** Bytes of a 2xx answer. */
  protected abstract accept(bytes: Buffer): void;
  /** A 2xx answer has ended as it should. */
  protected abstract ended(): void;
  /** Resolves the pending wait after a change. */
  protected abstract wake(): void;
  /** The usage of an accepted request so far. */
  protected abstract used(): Usage;

  /** The caller disconnected or stopped reading: the connection is destroyed at once. */
  cancel(): void {
    if (this.settled) return;
    const message = `the request to rig ${this.limits.rig} was cancelled`;
    const isAccepted = this.status >= 200 && this.status < 300;
    this.settle(new RigError('cancelled', message, isAccepted ? { used: this.used() } : {}));
    this.controller?.abort(new Error('cancelled'));
  }

  /**
   * Cancels the request when the signal aborts, at once if it has.
   * @returns a function that ends this
   */
  cancelledBy(signal: AbortSignal): () => void {
    const cancel = (): void => this.cancel();
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, ONCE);
    return () => signal.removeEventListener('abort', cancel);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new Error('cancelled'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
  ): void {
    this.status = status;
    if (status >= 300) this.retryAfterMs = retryAfterMsOf(headers, this.limits.now());
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.status < 300) this.accept(bytes);
    else if (this.bodyBytes < ERROR_BYTES_MAX) this.collect(bytes);
    else controller.abort(new Error('the error page is too long'));
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.status < 300) this.ended();
    else this.settle(failureOfResponse(this.limits.rig, this.response()));
  }

  onResponseError(_controller: unknown, cause: Error): void {
    if (this.settled) return;
    const { rig } = this.limits;
    // The status was read before the page broke, and it is more precise than the connection error.
    if (this.status >= 300) this.settle(failureOfResponse(rig, this.response()));
    else this.settle(failureOfConnection(rig, cause));
  }

  protected collect(bytes: Buffer): number {
    this.body.push(bytes);
    this.bodyBytes += bytes.length;
    return this.bodyBytes;
  }

  /** The collected bytes; one read of the socket is not copied. */
  protected collected(): Buffer {
    const [only = Buffer.alloc(0)] = this.body;
    return this.body.length > 1 ? Buffer.concat(this.body) : only;
  }

  protected settle(failure: RigError | null): void {
    if (this.settled) return;
    this.settled = true;
    this.failure = failure;
    this.wake();
  }

  protected fail(failure: RigError): void {
    this.settle(failure);
    this.controller?.abort(failure);
  }

  private response() {
    return { status: this.status, retryAfterMs: this.retryAfterMs, body: this.collected() };
  }
}

/** What an answer in one piece is. */
export interface AnswerForm<Answer> {
  /** For messages, such as `completion`. */
  readonly name: string;
  /** Null for JSON that is no such answer. */
  read(answer: JsonObject): Answer | null;
  /** The usage of a request without an answer, counted here. */
  counted(): Usage;
}

/** A chat. */
export const chatForm = ({ body, promptTokensMax }: ChatRequest): AnswerForm<ChatAnswer> => {
  const counted = (): Usage => {
    const promptTokens = countedPromptTokens(body, promptTokensMax);
    return { promptTokens, completionTokens: 0, source: 'counted' };
  };
  return {
    name: 'completion',
    counted,
    read: (completion) => {
      if (!Array.isArray(completion['choices'])) return null;
      const stated = statedUsage(completion['usage']);
      if (stated) return { completion, usage: stated };
      const usage: Usage = { ...counted(), completionTokens: countedAnswerTokens(completion) };
      return { completion: { ...completion, usage: usageObject(usage) }, usage };
    },
  };
};

/** An answer in one piece. */
export class AnswerExchange<Answer> extends UpstreamExchange {
  private readonly resolvers = Promise.withResolvers<Answer>();
  private whole: Answer | null = null;
  private leave = (): void => undefined;

  constructor(
    limits: ExchangeLimits,
    private readonly form: AnswerForm<Answer>,
  ) {
    super(limits);
  }

  /** @param signal cancels the request */
  answer(signal: AbortSignal): Promise<Answer> {
    if (!this.settled) this.leave = this.cancelledBy(signal);
    return this.resolvers.promise;
  }

  /** An answer that is not whole delivers nothing. */
  protected override used(): Usage {
    return this.form.counted();
  }

  protected override accept(bytes: Buffer): void {
    const { answerBytesMax, rig } = this.limits;
    if (this.collect(bytes) <= answerBytesMax) return;
    this.fail(new RigError('malformed', `rig ${rig} answered with over ${answerBytesMax} bytes`));
  }

  protected override ended(): void {
    const json = parseObject(this.collected().toString('utf8'));
    this.whole = json && this.form.read(json);
    if (this.whole !== null) {
      this.settle(null);
    } else {
      const { rig } = this.limits;
      const message = `rig ${rig} answered without a JSON ${this.form.name}`;
      this.settle(new RigError('malformed', message));
    }
  }

  protected override wake(): void {
    this.leave();
    if (this.whole !== null) this.resolvers.resolve(this.whole);
    else this.resolvers.reject(this.failure);
  }
}

/**
 * A stream of chunks, parsed as bytes arrive and delivered in pages. A page has all chunks since
 * the last page; for a fast consumer that is one read of the socket.
 */
export class StreamExchange extends UpstreamExchange {
  private readonly events: ServerSentEvents;
  private waiting: (() => void) | null = null;
  private page: ChatChunk[] = [];
  private pageBytes = 0;
  private pageDeltas = 0;
  private taken = false;
  private paused = false;
  private finished = false;
  private last: JsonObject | null = null;
  private stated: Usage | null = null;
  /** Deltas handed out since the upstream last stated its usage. */
  private deltas = 0;

  constructor(
    limits: ExchangeLimits,
    private readonly request: ChatRequest,
    private readonly usageAsked: boolean,
  ) {
    super(limits);
    const { answerBytesMax: charactersMax } = limits;
    this.events = new ServerSentEvents((data) => {
      this.event(data);
    }, charactersMax);
  }

  get hasPage(): boolean {
    return this.page.length > 0;
  }

  get isSettled(): boolean {
    return this.settled;
  }

  /** Resolves when there is a page or the end. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  /** Hands the page to the consumer; from now on its deltas are charged. */
  take(): readonly ChatChunk[] {
    const { page } = this;
    this.deltas += this.pageDeltas;
    this.page = [];
    this.pageBytes = 0;
    this.pageDeltas = 0;
    this.taken = true;
    if (this.paused && !this.settled) {
      this.paused = false;
      this.controller?.resume();
    }
    return page;
  }

  /**
   * The usage of the stream, once it has ended and its pages were read.
   * @throws RigError when it broke; a cancelled stream that handed out something did not break
   */
  usage(): Usage {
    const { failure } = this;
    if (!failure || (failure.kind === 'cancelled' && this.taken)) return this.used();
    if (!this.taken) throw failure;
    const kind = failure.kind === 'unreachable' ? 'broken-off' : failure.kind;
    throw new RigError(kind, failure.message, {
      ...failure.details,
      cause: failure.cause,
      used: this.used(),
    });
  }

  /** The usage chunk for a caller with `include_usage`, when the upstream sent no valid one. */
  owedUsageChunk(): ChatChunk | null {
    if (!this.usageAsked || this.stated || this.failure || !this.last) return null;
    const { id, object, created, model } = this.last;
    return { id, object, created, model, choices: [], usage: usageObject(this.used()) };
  }

  protected override accept(bytes: Buffer): void {
    if (this.settled) {
      // Only the end may follow `[DONE]`; a server that sends more loses the connection.
      this.controller?.abort(new Error('the stream was over'));
      return;
    }
    this.pageBytes += bytes.length;
    this.events.push(bytes);
    const { answerBytesMax, pendingBytesMax, rig } = this.limits;
    if (this.events.isTooLong) {
      const message = `rig ${rig} sent an event over ${answerBytesMax} characters`;
      this.fail(new RigError('malformed', message));
    } else if (this.pageBytes > pendingBytesMax && this.page.length > 0 && !this.isSettled) {
      this.paused = true;
      this.controller?.pause();
    }
    if (this.page.length > 0) this.wake();
  }

  protected override ended(): void {
    this.events.end();
    const { rig } = this.limits;
    // Some servers omit `[DONE]`; a finish reason also proves that nothing is missing.
    if (this.finished) this.settle(null);
    else if (this.last) this.settle(new RigError('broken-off', `rig ${rig} ended a stream early`));
    else this.settle(new RigError('malformed', `rig ${rig} answered without a chunk`));
  }

  protected override wake(): void {
    const { waiting } = this;
    this.waiting = null;
    waiting?.();
  }

  private event(data: string): void {
    if (this.settled) return;
    const { rig } = this.limits;
    if (data === '[DONE]') {
      if (this.last) this.settle(null);
      else this.fail(new RigError('malformed', `rig ${rig} answered without a chunk`));
      return;
    }
    const chunk = parseObject(data);
    if (chunk && (chunk['error'] ?? null) !== null) this.fail(this.errorChunk(chunk['error']));
    else if (chunk && Array.isArray(chunk['choices'])) this.chunk(chunk, chunk['choices']);
    else this.fail(new RigError('malformed', `rig ${rig} sent a chunk that cannot be read`));
  }

  private errorChunk(error: unknown): RigError {
    const failure = failureOfErrorChunk(this.limits.rig, error);
    if (!this.last) return failure;
    return new RigError('broken-off', failure.message, failure.details);
  }

  private chunk(chunk: JsonObject, choices: readonly unknown[]): void {
    this.last = chunk;
    this.pageDeltas += deltasOf(choices);
    if (choices.some(hasFinishReason)) this.finished = true;
    if ('usage' in chunk) this.chunkWithUsage(chunk, choices);
    else this.page.push(chunk);
  }

  /** A usage that was not requested, or is not valid, is removed. */
  private chunkWithUsage(chunk: JsonObject, choices: readonly unknown[]): void {
    const { usage, ...rest } = chunk;
    const stated = statedUsage(usage);
    if (stated) {
      this.stated = stated;
      this.deltas = 0;
      this.pageDeltas = 0;
    }
    if (this.usageAsked && (stated || usage === null)) this.page.push(chunk);
    else if (choices.length > 0 || usage === null) this.page.push(rest);
  }

  /** The last stated usage, plus the count of later chunks. */
  protected override used(): Usage {
    const { stated, deltas } = this;
    if (stated && deltas === 0) return stated;
    const { body, promptTokensMax } = this.request;
    return {
      promptTokens: stated?.promptTokens ?? countedPromptTokens(body, promptTokensMax),
      completionTokens: (stated?.completionTokens ?? 0) + deltas,
      source: 'counted',
    };
  }
}

const hasFinishReason = (choice: unknown): boolean =>
  isObject(choice) && typeof choice['finish_reason'] === 'string';

/** Null for what is no JSON object, and for one that is nested too deep. */
const parseObject = (text: string): JsonObject | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed) || isDeeperThan(parsed, ANSWER_LEVELS_MAX)) return null;
    keepSource(parsed, text);
    return parsed;
  } catch {
    return null;
  }
};
