import { type Dispatcher } from 'undici';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject, RigError } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';
import {
  type Dialect,
  type ProviderError,
  type ProviderRequest,
  type ResponseHeaders,
} from './dialects/dialect.js';
import { parseObject } from './parsed-object.js';
import {
  failureOfConnection,
  failureOfEvent,
  failureOfResponse,
  retryAfterMsOf,
} from './rig-failure.js';
import { takeCost } from './stated-cost.js';

export interface ExchangeLimits extends Pick<Dialect, 'errors' | 'tierIn'> {
  /** The rig's name, for messages. */
  readonly rig: string;
  /** Bytes of a whole answer, and characters of one event of a stream. */
  readonly answerBytesMax: number;
  /** Bytes parsed and not yet taken, beyond which the socket is paused. */
  readonly pendingBytesMax: number;
  /** Milliseconds since the epoch, to read a `Retry-After` date. */
  readonly now: () => number;
}

const NO_HEADERS: ResponseHeaders = {};

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
  /** The service tier that the headers of the answer state. */
  protected tier: string | undefined;
  private isSent = false;
  /** 0 before the headers of the answer. */
  private status = 0;
  /** Of an answer that is an error. */
  private headers: ResponseHeaders = NO_HEADERS;
  private retryAfterMs: number | null = null;
  private body: Buffer[] | undefined;
  private bodyBytes = 0;

  /** Cancels the exchange until it is settled. */
  private signal: AbortSignal | undefined;
  private readonly onAbort = (): void => this.cancel();

  constructor(protected readonly limits: ExchangeLimits) {}

  get isSettled(): boolean {
    return this.settled;
  }

  /** Bytes of a 2xx answer. */
  protected abstract accept(bytes: Buffer): void;
  /** A 2xx answer has ended as it should. */
  protected abstract ended(): void;
  /** Resolves the pending wait after a change. */
  protected abstract wake(): void;
  /** The usage of an accepted request so far. */
  protected abstract used(): Usage;

  /** Cancels the exchange when the signal aborts, or now if it has. */
  cancelOn(signal: AbortSignal): void {
    if (signal.aborted) {
      this.cancel();
      return;
    }
    this.signal = signal;
    signal.addEventListener('abort', this.onAbort);
  }

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
    headers: ResponseHeaders,
  ): void {
    this.status = status;
    if (status < 300) {
      this.tier = this.limits.tierIn?.(headers);
      return;
    }
    this.headers = headers;
    this.retryAfterMs = retryAfterMsOf(headers, this.limits.now());
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.status < 300) this.accept(bytes);
    else if (this.bodyBytes < ERROR_BYTES_MAX) this.collect(bytes);
    else controller.abort(new Error('the error page is too long'));
  }

  onResponseEnd(): void {
    if (this.settled) return;
    if (this.status < 300) this.ended();
    else this.settle(this.failureOfStatus());
  }

  onResponseError(_controller: unknown, cause: Error): void {
    if (this.settled) return;
    // The status was read before the page broke, and it is more precise than the connection error.
    if (this.status >= 300) this.settle(this.failureOfStatus());
    else this.settle(failureOfConnection(this.limits.rig, cause, this.isSent));
  }

  protected collect(bytes: Buffer): number {
    if (this.body) this.body.push(bytes);
    else this.body = [bytes];
    this.bodyBytes += bytes.length;
    return this.bodyBytes;
  }

  /** The collected bytes; one read of the socket is not copied. */
  protected collected(): Buffer {
    const { body = [] } = this;
    const [only] = body;
    return only && body.length === 1 ? only : Buffer.concat(body);
  }

  protected settle(failure: RigError | null): void {
    if (this.settled) return;
    this.settled = true;
    this.failure = failure;
    this.signal?.removeEventListener('abort', this.onAbort);
    this.wake();
  }

  protected fail(failure: RigError): void {
    this.settle(failure);
    this.controller?.abort(failure);
  }

  private failureOfStatus(): RigError {
    const { status, headers, retryAfterMs, limits } = this;
    const response = { status, headers, retryAfterMs, body: this.collected() };
    return failureOfResponse(limits.rig, response, limits.errors);
  }
}

/** A question whose answer comes in one piece. */
export interface AnswerForm<Answer> {
  /** Of the answer, for messages, such as `completion`. */
  readonly name: string;
  /** The request to the rig. @throws RigError `refused` for one that it cannot answer */
  sent(): ProviderRequest;
  /** Null for JSON that is no such answer. */
  read(answer: JsonObject, tier: string | undefined): Answer | null;
  /** The error that an answer is. Absent: none is. */
  readonly failure?: ((answer: JsonObject) => ProviderError | null) | undefined;
  /** The usage of a request without an answer, counted here. */
  counted(): Usage;
  /** Absent where the rig states no cost. */
  readonly cost?: CostSink | undefined;
}

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

  /** The request could not be sent. @param error the answer fails with it */
  unsent(error: unknown): void {
    this.resolvers.reject(error);
    this.cancel();
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
    const parsed = parseObject(this.collected().toString('utf8'));
    const json = parsed && takeCost(parsed, this.form.cost);
    const error = json && this.form.failure?.(json);
    if (error) {
      this.settle(failureOfEvent(this.limits.rig, error));
      return;
    }
    this.whole = json && this.form.read(json, this.tier);
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
