import { Inject, Injectable } from '@nestjs/common';
import { REQUEST_LIMITS, type RequestLimits } from '#areas/inference/ports.js';
import { type CutReason, RequestCutError } from '#areas/inference/request-cut.js';
import { HttpFailure } from '../errors/http-failure.js';
import { cutFailure } from '../errors/route-failure.js';

/** One request under way; its signal fires with a `RequestCutError`. */
export interface OpenRequest {
  readonly signal: AbortSignal;
  readonly cut: (reason: CutReason) => void;
  readonly close: () => void;
}

/** Counts what is under way, so that a drain can stop admitting and wait for the rest. */
@Injectable()
export class OpenRequests {
  readonly #open = new Set<OpenRequest>();
  readonly #waiting: (() => void)[] = [];
  #draining = false;

  constructor(@Inject(REQUEST_LIMITS) private readonly limits: RequestLimits) {}

  get count(): number {
    return this.#open.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** @throws HttpFailure 503 while draining */
  open(): OpenRequest {
    if (this.#draining) throw new HttpFailure(cutFailure(new RequestCutError('shut_down')));
    const controller = new AbortController();
    const cut = (reason: CutReason): void => controller.abort(new RequestCutError(reason));
    const timer = setTimeout(() => cut('timed_out'), this.limits.requestMsMax);
    const request: OpenRequest = {
      signal: controller.signal,
      cut,
      close: () => {
        clearTimeout(timer);
        this.#open.delete(request);
        if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
      },
    };
    this.#open.add(request);
    return request;
  }

  /**
   * Stops admitting and waits for what is under way; at the deadline the rest is cut short, which
   * settles it at what was delivered.
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
