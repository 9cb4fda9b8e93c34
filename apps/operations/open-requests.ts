import { type EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Deadlines } from '#platform/runtime/commands/deadlines.js';
import { type CutReason, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  type MetricsSource,
  type ReadinessCheck,
  type ReadinessPart,
} from '#platform/runtime/areas/operations.js';

/** An open request. Its signal aborts with a `RequestCutError`. */
export interface OpenRequest {
  readonly signal: AbortSignal;
  readonly cut: (reason: CutReason) => void;
  readonly close: () => void;
}

/** An open request whose caller waits for a response. */
export interface ConnectedRequest extends OpenRequest {
  /** From now on the request outlives its caller's connection. */
  readonly outlive: () => void;
}

/** The part of a response that tells whether its caller is connected. */
export type CallerConnection = Pick<ServerResponse, 'destroyed' | 'writableFinished'> &
  Pick<EventEmitter, 'off' | 'once'>;

/** Counts open requests. A drain rejects new ones and waits for the others. */
@Injectable()
export class OpenRequests implements ReadinessCheck, MetricsSource {
  readonly #open = new Set<OpenRequest>();
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
    if (this.#draining) throw new RequestCutError('shut_down');
    const controller = new AbortController();
    const cut = (reason: CutReason): void => controller.abort(new RequestCutError(reason));
    const limit = this.#limits.set(msMax, () => cut('timed_out'));
    const request: OpenRequest = {
      signal: controller.signal,
      cut,
      close: () => {
        this.#limits.cancel(limit);
        this.#open.delete(request);
        if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
      },
    };
    this.#open.add(request);
    return request;
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
    const request = this.open(msMax);
    const leave = (): void => {
      if (!response.writableFinished) request.cut('client_gone');
    };
    const outlive = (): void => void response.off('close', leave);
    response.once('close', leave);
    try {
      return await work({ ...request, outlive });
    } finally {
      outlive();
      request.close();
    }
  }

  /**
   * Rejects new requests and waits for the open ones. At the deadline the others are cut, and
   * charged for the delivered part.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    if (this.#open.size === 0) return;
    const closed = new Promise<void>((resolve) => this.#waiting.push(resolve));
    const timer = setTimeout(() => {
      for (const request of this.#open) request.cut('shut_down');
    }, deadlineMs);
    await closed;
    clearTimeout(timer);
  }
}
