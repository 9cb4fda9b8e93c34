import { randomUUID } from 'node:crypto';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  HEARTBEAT_MS,
  HEARTBEATS_TOPIC,
  WorkerHeartbeat,
} from '#platform/tasks/worker-heartbeat.js';
import { type EngineReport } from './task-runners.js';

export interface HeartbeatOptions {
  readonly bus: Pick<Bus, 'publish'>;
  /** The name of this worker. */
  readonly worker: string;
  readonly status: () => WorkerHeartbeat['status'];
  readonly engines: () => readonly EngineReport[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** Default `HEARTBEAT_MS`. */
  readonly intervalMs?: number;
}

/** Publishes what this worker is and does, at once and then regularly, until it is stopped. */
export class Heartbeats {
  readonly #startedAt: string;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void>;
  #isFailing = false;

  constructor(private readonly options: HeartbeatOptions) {
    this.#startedAt = instant(options.clock);
    this.#sending = this.#send();
    this.#timer = setInterval(() => this.beat(), options.intervalMs ?? HEARTBEAT_MS).unref();
  }

  /** Publishes one more, behind those under way. Never rejects: the next one says the same. */
  beat(): void {
    this.#sending = this.#sending.then(() => this.#send());
  }

  /** Resolves when the last heartbeat is published or has failed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.beat();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { bus, worker, logger } = this.options;
    try {
      const data = this.#heartbeat();
      await bus.publish(HEARTBEATS_TOPIC, [{ key: worker, id: randomUUID(), headers: {}, data }]);
      if (this.#isFailing) logger.info('heartbeats are published again');
      this.#isFailing = false;
    } catch (error) {
      // A broker that is away fails every heartbeat; the first failure says it all.
      if (!this.#isFailing) logger.warn({ err: error }, 'a heartbeat could not be published');
      this.#isFailing = true;
    }
  }

  #heartbeat(): WorkerHeartbeat {
    const { worker, status, engines, clock } = this.options;
    return WorkerHeartbeat.parse({
      worker,
      startedAt: this.#startedAt,
      sentAt: instant(clock),
      status: status(),
      engines: engines(),
    });
  }
}
