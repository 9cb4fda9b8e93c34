import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { ASKS_TOPIC, JobAsk } from './job.protocol.js';

export interface HostAsksOptions {
  readonly bus: Pick<Bus, 'publish'>;
  readonly host: string;
  readonly everyMs: number;
  /** The state of the host now. */
  readonly state: () => Pick<JobAsk, 'free' | 'running' | 'draining'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

const STOP_MS_MAX = 2_000;

/** Asks for work, at once and then regularly. A lost ask is replaced by the next one. */
export class HostAsks {
  readonly #session = randomUUID();
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isWanted = false;
  #isFailing = false;

  constructor(private readonly options: HostAsksOptions) {}

  start(): void {
    this.#timer = setInterval(() => this.soon(), this.options.everyMs).unref();
    this.soon();
  }

  /** Asks now, or after the current ask. Nothing before `start`. */
  soon(): void {
    if (!this.#timer) return;
    this.#isWanted = true;
    this.#sending ??= this.#send();
  }

  /** Says that the host has gone, within a time limit for a bus that does not answer. */
  async stop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.soon();
    await Promise.race([this.#sending, sleep(STOP_MS_MAX, undefined, { ref: false })]);
  }

  async #send(): Promise<void> {
    while (this.#isWanted) {
      // Attempts that end in the same turn of the event loop share an ask.
      await Promise.resolve();
      this.#isWanted = false;
      await this.#publish();
    }
    this.#sending = undefined;
  }

  /** Never rejects. */
  async #publish(): Promise<void> {
    const { bus, host, state, logger } = this.options;
    this.#number += 1;
    const data = JobAsk.parse({ host, session: this.#session, number: this.#number, ...state() });
    try {
      await bus.publish(ASKS_TOPIC, [{ key: host, id: randomUUID(), headers: {}, data }]);
      if (this.#isFailing) logger.info('this process asks for jobs again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.warn({ err: error }, 'this process cannot ask for jobs');
      this.#isFailing = true;
    }
  }
}
