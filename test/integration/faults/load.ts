import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatRequest, eventually } from '../../end-to-end/quipu.harness.js';
import { type FleetUnderFault, SCRIPTED } from './fleet-under-fault.harness.js';

const CALLERS = 4;
/**
 * Between two requests of a caller, and before it asks for the same again. The machine must have
 * something left for what a fault makes it do: start processes, and catch up.
 */
const PAUSE_MS = 100;
const RETRY_MS = 100;
/** A caller's own patience. */
const ANSWER_MS_MAX = 20_000;

/** Charged, and the answer lost before it was kept: there is no more to come. */
const ANSWER_LOST = 'idempotency_answer_lost';

/** One request, as its caller saw it. */
export interface Attempt {
  readonly order: string;
  /** As the answer names it; null where there was none. */
  readonly requestId: string | null;
  /** Null where the connection broke or nothing came in time. */
  readonly status: number | null;
  /** Of the error, wherever it stood; null for a whole answer. */
  readonly code: string | null;
  readonly message: string | null;
  /** The charge that a whole answer names. */
  readonly eventId: string | null;
}

export interface LoadOptions {
  readonly model?: string;
  /** Default: all, in turn. */
  readonly gateways?: readonly { readonly url: string }[];
}

/**
 * Callers that ask one after the other until they are told to stop, and remember everything. Half of
 * them name an Idempotency-Key and ask with it until they have their answer; the others take no for
 * an answer, and go on with something else.
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

  /** Resolves when so many more were answered. @throws with what callers were told instead */
  async answers(count: number, withinMs: number): Promise<void> {
    const [before, failedBefore] = [this.answered.length, this.failed.length];
    await eventually(() => this.answered.length >= before + count, withinMs).catch(
      (cause: unknown) => {
        const told = this.failed.slice(failedBefore).map(({ status, code }) => `${status} ${code}`);
        const found = [...new Set(told)].join(', ');
        throw new Error(`${this.answered.length - before} answers; else ${found}`, { cause });
      },
    );
  }

  /** Resolves when a caller was told that something is wrong. */
  fails(withinMs: number): Promise<void> {
    const before = this.failed.length;
    return eventually(() => this.failed.length > before, withinMs);
  }

  /** Resolves when every caller has what it asked for. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Every caller leaves as it stands, after a test that has failed. */
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

  /** @returns whether that was the end of the order */
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
          // Every order has a prompt, and so a hash of the prompt, of its own.
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

interface ToldError {
  readonly code: string;
  readonly message: string;
}

/** Of an envelope, or of the last word of a stream. */
const errorIn = (text: string): ToldError | undefined => {
  const [, envelope = ''] = /(?:^|data: )(\{"error":.*\})\s*$/m.exec(text) ?? [];
  if (envelope === '') return undefined;
  return (JSON.parse(envelope) as { readonly error: ToldError }).error;
};

const eventIdOf = (response: Response, text: string): string | null =>
  response.headers.get('x-quipu-event-id') ??
  /x-quipu-event-id=([0-9a-f-]+)/.exec(text)?.[1] ??
  null;
