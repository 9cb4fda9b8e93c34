import { type EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { type Deadline, Deadlines } from '#platform/runtime/commands/deadlines.js';
import { type CutReason, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';

/** The part of a response that tells whether its caller is connected. */
export type CallerConnection = Pick<ServerResponse, 'destroyed' | 'writableFinished'> &
  Pick<EventEmitter, 'off' | 'on'>;

/** An open request. Its signal aborts with a `RequestCutError`. */
export class OpenRequest {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;

  constructor(private readonly onClosed: (request: OpenRequest) => void) {}

  cut(reason: CutReason): void {
    this.#controller.abort(new RequestCutError(reason));
  }

  close(): void {
    this.onClosed(this);
  }
}

/** An open request whose caller waits for a response. */
export class ConnectedRequest extends OpenRequest {
  /** Cuts the request when the caller leaves before the response is finished. */
  readonly #leave = (): void => {
    if (!this.response.writableFinished) this.cut('client_gone');
  };

  constructor(
    private readonly response: CallerConnection,
    onClosed: (request: OpenRequest) => void,
  ) {
    super(onClosed);
    response.on('close', this.#leave);
  }

  /** From now on the request outlives its caller's connection. */
  outlive(): void {
    this.response.off('close', this.#leave);
  }

  override close(): void {
    this.outlive();
    super.close();
  }
}

/** Counts open requests. A drain rejects new ones and waits for the others. */
@Injectable()
export class OpenRequests implements ReadinessCheck, MetricsSource {
  /** The open requests and their time limits. */
  readonly #open = new Map<OpenRequest, Deadline>();
  readonly #limits = new Deadlines();
  readonly #waiting: (() => void)[] = [];
  readonly #gauge: Gauge;
  #draining = false;

  constructor(registry: Registry) {
    this.#gauge = new Gauge({
      name: 'quipu_open_requests',
      help: 'Open requests, which a stop waits for.',
      registers: [registry],
    });
  }

  get count(): number {
    return this.#open.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  readiness(): ReadinessPart {
    return {
      reasons: this.#draining ? [{ code: 'draining', detail: 'the process stops' }] : [],
      facts: { open_requests: this.count },
    };
  }

  collect(): void {
    this.#gauge.set(this.count);
  }

  /**
   * @param msMax the time limit; at most 100 ms after it, the request is cut with `timed_out`
   * @throws RequestCutError `shut_down` while draining
   */
  open(msMax: number): OpenRequest {
    this.#demandOpen();
    return this.#limit(new OpenRequest(this.#close), msMax);
  }

  /**
   * Works on a request whose caller waits. The request is cut with `client_gone` when the caller
   * leaves before the response is finished.
   * @param msMax as in `open`
   * @throws RequestCutError `shut_down` while draining; `client_gone` if the caller has left before
   *   the work began; the error of the work
   */
  async whileConnected<T>(
    response: CallerConnection,
    msMax: number,
    work: (request: ConnectedRequest) => Promise<T>,
  ): Promise<T> {
    if (response.destroyed) throw new RequestCutError('client_gone');
    this.#demandOpen();
    const request = this.#limit(new ConnectedRequest(response, this.#close), msMax);
    try {
      return await work(request);
    } finally {
      request.close();
    }
  }

  #demandOpen(): void {
    if (this.#draining) throw new RequestCutError('shut_down');
  }

  #limit<R extends OpenRequest>(request: R, msMax: number): R {
    this.#open.set(
      request,
      this.#limits.set(msMax, () => request.cut('timed_out')),
    );
    return request;
  }

  readonly #close = (request: OpenRequest): void => {
    const limit = this.#open.get(request);
    if (!limit) return;
    this.#limits.cancel(limit);
    this.#open.delete(request);
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /**
   * Rejects new requests and waits for the open ones. At the deadline the others are cut, and
   * charged for the delivered part.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    if (this.#open.size === 0) return;
    const closed = new Promise<void>((resolve) => this.#waiting.push(resolve));
    const timer = setTimeout(() => {
      for (const request of this.#open.keys()) request.cut('shut_down');
    }, deadlineMs);
    await closed;
    clearTimeout(timer);
  }
}
