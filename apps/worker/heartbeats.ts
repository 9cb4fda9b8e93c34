import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  HEARTBEAT_MS,
  HEARTBEATS_TOPIC,
  type WorkerHardware,
  WorkerHeartbeat,
  type WorkerRig,
} from '#platform/tasks/worker-heartbeat.js';
import { type Telemetry } from '#platform/telemetry/telemetry.js';
import { type EngineReport } from './task-runners.js';

export interface HeartbeatOptions {
  readonly bus: Pick<Bus, 'publish'>;
  /** The name of this worker. */
  readonly worker: string;
  readonly status: () => WorkerHeartbeat['status'];
  readonly rig: WorkerRig;
  /** ISO 8601: the start of the worker. */
  readonly startedAt: string;
  readonly hardware: WorkerHardware;
  readonly telemetry: () => Telemetry;
  readonly engines: () => readonly EngineReport[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** Default `HEARTBEAT_MS`. */
  readonly intervalMs?: number;
}

const STOP_MS_MAX = 2_000;

/** Publishes the state of this worker, at once and then regularly, until it is stopped. */
export class Heartbeats {
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  #isWanted = false;
  #isFailing = false;

  constructor(private readonly options: HeartbeatOptions) {
    this.beat();
    this.#timer = setInterval(() => this.beat(), options.intervalMs ?? HEARTBEAT_MS).unref();
  }

  /** Publishes now, or after the current heartbeat: one at a time. */
  beat(): void {
    this.#isWanted = true;
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /** Publishes the last heartbeat, within a time limit for a bus that does not answer. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.beat();
    await Promise.race([this.#sending, sleep(STOP_MS_MAX, undefined, { ref: false })]);
  }

  async #send(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#publish();
    }
  }

  /** Never rejects: the next heartbeat replaces a lost one. */
  async #publish(): Promise<void> {
    const { bus, worker, logger } = this.options;
    try {
      const data = this.#heartbeat();
      await bus.publish(HEARTBEATS_TOPIC, [{ key: worker, id: randomUUID(), headers: {}, data }]);
      if (this.#isFailing) logger.info('heartbeats are published again');
      this.#isFailing = false;
    } catch (error) {
      // Logs only the first of consecutive failures.
      if (!this.#isFailing) logger.warn({ err: error }, 'a heartbeat could not be published');
      this.#isFailing = true;
    }
  }

  #heartbeat(): WorkerHeartbeat {
    const { worker, rig, startedAt, status, clock } = this.options;
    const { hardware, telemetry, engines } = this.options;
    return WorkerHeartbeat.parse({
      worker,
      rig,
      startedAt,
      sentAt: instant(clock),
      status: status(),
      hardware,
      telemetry: telemetry(),
      engines: engines(),
    });
  }
}
