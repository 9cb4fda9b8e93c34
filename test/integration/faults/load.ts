import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatRequest, eventually } from '../../end-to-end/quipu.harness.js';
import { type FleetUnderFault, SCRIPTED } from './fleet-under-fault.harness.js';

const CALLERS = 4;
/**
 * The pause between two requests of a caller, and before a retry. It leaves CPU time for the
 * processes that a fault restarts, and for projections that catch up: each request makes two
 * guarded writes, for which the MongoDB-wire server of the tests scans the collection.
 */
const PAUSE_MS = 300;
const RETRY_MS = 100;
/** The time-out of a caller. */
const ANSWER_MS_MAX = 20_000;

/** The request was charged and its answer is lost: a retry cannot return it. */
const ANSWER_LOST = 'idempotency_answer_lost';

/** One request and its result for the caller. */
export interface Attempt {
  readonly order: string;
  /** From the answer; null without one. */
  readonly requestId: string | null;
  /** Null after a lost connection or a time-out. */
  readonly status: number | null;
  /** The code of the error, in a body or in a stream; null for a whole answer. */
  readonly code: string | null;
  readonly message: string | null;
  /** The event id of the charge; null unless the answer is whole. */
  readonly eventId: string | null;
}

export interface LoadOptions {
  readonly model?: string;
  /** Default: all, in turn. */
  readonly gateways?: readonly { readonly url: string }[];
}

/**
 * Concurrent callers that send one request after the other and record every attempt. Half of the
 * callers send an Idempotency-Key and retry until they have an answer; the others never retry.
 */
export class Load {
  readonly attempts: Attempt[] = [];
  #isOver = false;
  readonly #left = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(
    private readonly fleet: FleetUnderFault,
    private readonly options: LoadOptions = {},
  ) {
    const callers = Array.from({ length: CALLERS }, (_, caller) => this.#call(caller));
    this.#running = Promise.all(callers);
  }

  get answered(): readonly Attempt[] {
    return this.attempts.filter(({ eventId }) => eventId !== null);
  }

  get failed(): readonly Attempt[] {
    return this.attempts.filter(({ eventId }) => eventId === null);
  }

  /** Resolves after `count` more answers. @throws Error with the failures in the meantime */
  async answers(count: number, withinMs: number): Promise<void> {
    const [before, failedBefore] = [this.answered.length, this.failed.length];
    await eventually(() => this.answered.length >= before + count, withinMs).catch(
      (cause: unknown) => {
        const failures = this.failed
          .slice(failedBefore)
          .map(({ status, code }) => `${status} ${code}`);
        const found = [...new Set(failures)].join(', ');
        throw new Error(`${this.answered.length - before} answers; failures: ${found}`, { cause });
      },
    );
  }

  /** Resolves after the next failed request. */
  fails(withinMs: number): Promise<void> {
    const before = this.failed.length;
    return eventually(() => this.failed.length > before, withinMs);
  }

  /** Resolves when the last requests have ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Aborts all requests, for example after a failed test. */
  async leave(): Promise<void> {
    this.#left.abort();
    await this.stop();
  }

  async #call(caller: number): Promise<void> {
    for (let turn = caller; !this.#isOver; turn += 1) {
      const order = randomUUID();
      const isKeyed = caller % 2 === 0;
      while (!(await this.#ask(order, turn, isKeyed)) && isKeyed && !this.#hasLeft) {
        await sleep(RETRY_MS);
      }
      await sleep(PAUSE_MS);
    }
  }

  get #hasLeft(): boolean {
    return this.#left.signal.aborted;
  }

  /** @returns whether the order needs no retry */
  async #ask(order: string, turn: number, isKeyed: boolean): Promise<boolean> {
    const { model = SCRIPTED, gateways = this.fleet.gateways } = this.options;
    const url = gateways[turn % gateways.length]?.url ?? '';
    const seen = await this.#exchange(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.fleet.credentials.api_key}`,
        ...(isKeyed && { 'idempotency-key': order }),
      },
      body: JSON.stringify(
        chatRequest({
          model,
          stream: turn % 3 === 0,
          max_tokens: 16,
          // Every order has a different prompt, and so a different prompt hash.
          messages: [{ role: 'user', content: `Tell me of knots. ${order}` }],
        }),
      ),
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS_MAX), this.#left.signal]),
    });
    this.attempts.push({ order, ...seen });
    return seen.eventId !== null || seen.code === ANSWER_LOST;
  }

  async #exchange(url: string, init: RequestInit): Promise<Omit<Attempt, 'order'>> {
    try {
      const response = await fetch(url, init);
      const text = await response.text();
      const { status } = response;
      const requestId = response.headers.get('x-request-id');
      const { code = null, message = null } = errorIn(text) ?? {};
      const isWhole = response.ok && code === null;
      const eventId = isWhole ? eventIdOf(response, text) : null;
      return { requestId, status, code, message, eventId };
    } catch {
      return { requestId: null, status: null, code: null, message: null, eventId: null };
    }
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

/** The error of an envelope, or of the last chunk of a stream. */
const errorIn = (text: string): ErrorBody | undefined => {
  const [, envelope = ''] = /(?:^|data: )(\{"error":.*\})\s*$/m.exec(text) ?? [];
  if (envelope === '') return undefined;
  return (JSON.parse(envelope) as { readonly error: ErrorBody }).error;
};

const eventIdOf = (response: Response, text: string): string | null =>
  response.headers.get('x-quipu-event-id') ??
  /x-quipu-event-id=([0-9a-f-]+)/.exec(text)?.[1] ??
  null;
