import { type Dispatcher } from 'undici';
import { type Usage, usageObject } from '#platform/chats/chat-usage.js';
import { type ChatAnswer, type ChatRequest } from './chat-backend.js';
import { type JsonObject, RigError } from './chat-backend.js';
import { keepSource } from './json-source.js';
import { ANSWER_LEVELS_MAX, isDeeperThan } from './nesting.js';
import { failureOfConnection, failureOfResponse, retryAfterMsOf } from './rig-failure.js';
import { serviceTierOf, statedUsage } from './openai-usage.js';
import { takeCost } from './stated-cost.js';
import { countedAnswerTokens, countedPromptTokens, isObject } from './token-usage.js';

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
  private isSent = false;
  /** 0 before the headers of the answer. */
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
    const isAccepted = this.isSent && this.status < 300;
    this.settle(new RigError('cancelled', message, isAccepted ? { used: this.used() } : {}));
    this.controller?.abort(new Error('cancelled'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new Error('cancelled'));
  }

  /** The whole request has been written to its connection. */
  onRequestSent(): void {
    this.isSent = true;
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
    else this.settle(failureOfConnection(rig, cause, this.isSent));
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
export const chatForm = ({ body, promptTokensMax, cost }: ChatRequest): AnswerForm<ChatAnswer> => {
  const counted = (): Usage => {
    const promptTokens = countedPromptTokens(body, promptTokensMax);
    return { promptTokens, completionTokens: 0, source: 'counted' };
  };
  return {
    name: 'completion',
    counted,
    read: (answer) => {
      if (!Array.isArray(answer['choices'])) return null;
      const completion = takeCost(answer, cost);
      const stated = statedUsage(completion['usage']);
      const serviceTier = serviceTierOf(completion);
      if (stated) {
        return { completion, usage: { ...stated, ...(serviceTier && { serviceTier }) } };
      }
      const usage: Usage = { ...counted(), completionTokens: countedAnswerTokens(completion) };
      return { completion: { ...completion, usage: usageObject(usage) }, usage };
    },
  };
};

/** An answer in one piece. */
export class AnswerExchange<Answer> extends UpstreamExchange {
  private readonly resolvers = Promise.withResolvers<Answer>();
  private whole: Answer | null = null;

  constructor(
    limits: ExchangeLimits,
    private readonly form: AnswerForm<Answer>,
  ) {
    super(limits);
  }

  answer(): Promise<Answer> {
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
    if (this.whole !== null) this.resolvers.resolve(this.whole);
    else this.resolvers.reject(this.failure);
  }
}

/** Null for what is no JSON object, and for one that is nested too deep. */
export const parseObject = (text: string): JsonObject | null => {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed) || isDeeperThan(parsed, ANSWER_LEVELS_MAX)) return null;
    keepSource(parsed, text);
    return parsed;
  } catch {
    return null;
  }
};
