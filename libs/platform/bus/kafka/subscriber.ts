import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { backOffMs } from '#platform/kernel/back-off.js';
import { within } from '#platform/kernel/within.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { reasonOf } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type KafkaClient, type SubscribeOptions, type Subscription } from './kafka-client.port.js';

/** Sessions without an answer of the broker after which a client counts as stuck. */
const SILENT_SESSIONS_MAX = 3;
const CHECKS_PER_SESSION = 3;
/** Without an answer for this time, messages may not be delivered here. */
const QUIET_MS_MAX = 5_000;

export interface SubscriberOptions extends Omit<SubscribeOptions, 'onAlive' | 'onFailed'> {
  /** All partitions are gone, until `onAssigned` says more. */
  readonly onLost: () => void;
}

/**
 * Stays subscribed: whatever ends a subscription (a crash of the client, a broker that goes away, a
 * client that falls silent), the next one is tried with back-off until it succeeds.
 */
export class Subscriber {
  #current: Subscription | null = null;
  #watch: Watch | null = null;
  #isPaused = false;
  #running: Promise<void> | null = null;
  readonly #closed = new AbortController();

  constructor(
    private readonly client: KafkaClient,
    private readonly logger: Logger,
    private readonly options: SubscriberOptions,
  ) {}

  get current(): Subscription | null {
    return this.#current;
  }

  /** Whether it is a member of its group and the broker has answered lately. */
  get isAlive(): boolean {
    return this.#current !== null && (this.#watch?.silenceMs ?? Infinity) <= QUIET_MS_MAX;
  }

  /**
   * @throws BusError `bus-unavailable` when it has not joined within the time; it is then closed
   */
  async start(timeoutMs: number): Promise<void> {
    let standing = (): void => undefined;
    const subscribed = new Promise<'subscribed'>((resolve) => {
      standing = () => resolve('subscribed');
    });
    let failure: unknown = 'no answer';
    this.#running = this.#run(standing, (latest) => (failure = latest));
    const outcome = await within(subscribed, timeoutMs, () => 'late' as const);
    if (outcome === 'subscribed') return;
    // Not awaited: the pending attempt ends when the client gives up.
    this.#closed.abort();
    const detail = `could not join ${this.options.groupId}: ${reasonOf(failure)}`;
    throw new BusError('bus-unavailable', detail, { cause: failure });
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#current?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#current?.resume();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async #run(standing: () => void, failed: (failure: unknown) => void): Promise<void> {
    const { topic, groupId, onLost } = this.options;
    for (let attempt = 1; !this.#isClosed(); attempt += 1) {
      const failure = await this.#once(() => {
        attempt = 0;
        standing();
      });
      onLost();
      if (this.#isClosed()) return;
      failed(failure);
      const fields = { topic, groupId, reason: reasonOf(failure) };
      this.logger.warn(fields, 'the subscription has ended, subscribing again');
      await elapsed(
        backOffMs(BUS_BACK_OFF, Math.max(attempt, 1), Math.random()),
        this.#closed.signal,
      );
    }
  }

  /** One subscription from its start to its end. @returns why it ended */
  async #once(standing: () => void): Promise<unknown> {
    const { signal } = this.#closed;
    const watch = new Watch(this.options.sessionTimeoutMs, signal);
    this.#watch = watch;
    const { onLost: _, ...options } = this.options;
    try {
      const subscription = await this.client.subscribe({
        ...options,
        onAlive: () => watch.alive(),
        onFailed: (failure) => watch.end(failure),
      });
      this.#current = subscription;
      if (this.#isPaused) subscription.pause();
      standing();
      const failure = await watch.ended;
      this.#current = null;
      await subscription.close();
      return failure;
    } catch (failure) {
      return failure;
    } finally {
      watch.end('closed');
    }
  }
}

/** Ends once: by a failure, by silence, or by the signal. */
class Watch {
  readonly ended: Promise<unknown>;
  readonly #timer: NodeJS.Timeout;
  #end: (failure: unknown) => void = () => undefined;
  #lastAlive = Date.now();

  constructor(
    sessionTimeoutMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const silenceMsMax = sessionTimeoutMs * SILENT_SESSIONS_MAX;
    this.#timer = setInterval(() => {
      const { silenceMs } = this;
      if (silenceMs > silenceMsMax) this.end(`no answer for ${silenceMs} ms`);
    }, sessionTimeoutMs / CHECKS_PER_SESSION);
    signal.addEventListener('abort', this.#abort, { once: true });
    if (signal.aborted) this.#abort();
  }

  get silenceMs(): number {
    return Date.now() - this.#lastAlive;
  }

  alive(): void {
    this.#lastAlive = Date.now();
  }

  readonly end = (failure: unknown): void => {
    clearInterval(this.#timer);
    this.signal.removeEventListener('abort', this.#abort);
    this.#end(failure);
  };

  readonly #abort = (): void => this.end('closed');
}

const elapsed = (delayMs: number, signal: AbortSignal): Promise<void> =>
  sleep(delayMs, undefined, { signal }).catch(() => undefined);
