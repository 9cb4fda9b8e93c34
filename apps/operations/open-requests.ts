import { type EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Deadline, Deadlines } from '#platform/runtime/commands/deadlines.js';
import { type CutReason, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';

/** The part of a response that tells whether its caller is connected. */
export type CallerConnection = Pick<ServerResponse, 'destroyed' | 'writableFinished'> &
  Pick<EventEmitter, 'on'>;

/** An open request. Its signal aborts with a `RequestCutError`, after its time limit at last. */
export class OpenRequest extends Deadline {
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  private isClosed = false;

  constructor(private readonly onClosed: (request: OpenRequest) => void) {
    super();
  }

  cut(reason: CutReason): void {
    this.controller.abort(new RequestCutError(reason));
  }

  override onPassed(): void {
    this.cut('timed_out');
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onClosed(this);
  }
}

/** An open request whose caller waits for a response. */
export class ConnectedRequest extends OpenRequest {
  private outlives = false;

  constructor(response: CallerConnection, onClosed: (request: OpenRequest) => void) {
    super(onClosed);
    // Stays until the response is collected: to remove a listener costs as much as to add it.
    response.on('close', () => {
      if (!this.outlives && !response.writableFinished) this.cut('client_gone');
    });
  }

  /** From now on the request outlives its caller's connection. */
  outlive(): void {
    this.outlives = true;
  }

  override close(): void {
    this.outlive();
    super.close();
  }
}

/** Counts open requests. A drain rejects new ones and waits for the others. */
@Injectable()
export class OpenRequests implements ReadinessCheck, MetricsSource {
  /** The time limits of the open requests. */
  readonly #limits = new Deadlines<OpenRequest>();
  #count = 0;
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
    return this.#count;
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
   * A request whose caller waits. It is cut with `client_gone` when the caller leaves before the
   * response is finished.
   * @param msMax as in `open`
   * @throws RequestCutError `shut_down` while draining; `client_gone` if the caller has left
   */
  connect(response: CallerConnection, msMax: number): ConnectedRequest {
    if (response.destroyed) throw new RequestCutError('client_gone');
    this.#demandOpen();
    return this.#limit(new ConnectedRequest(response, this.#close), msMax);
  }

  /**
   * Works on a request as `connect` gives it.
   * @throws as `connect`; the error of the work
   */
  async whileConnected<T>(
    response: CallerConnection,
    msMax: number,
    work: (request: ConnectedRequest) => Promise<T>,
  ): Promise<T> {
    const request = this.connect(response, msMax);
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
    this.#limits.set(request, msMax);
    this.#count += 1;
    return request;
  }

  readonly #close = (request: OpenRequest): void => {
    this.#limits.cancel(request);
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  };

  /**
   * Rejects new requests and waits for the open ones. At the deadline the others are cut, and
   * charged for the delivered part.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    if (this.#count === 0) return;
    const closed = new Promise<void>((resolve) => this.#waiting.push(resolve));
    const timer = setTimeout(() => {
      for (const request of this.#limits.open()) request.cut('shut_down');
    }, deadlineMs);
    await closed;
    clearTimeout(timer);
  }
}
