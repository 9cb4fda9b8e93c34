import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from '../commands/event-codec.js';
import { type RunnerStatus } from '../subscriptions/log-progress.js';
import { SagaHandler, type SendCommand } from './saga-handler.js';
import { SubscriptionRunner } from '../subscriptions/subscription-runner.js';
import { Timers } from './timers.js';

/** How often due timers are fired; a timer is at most this much late. */
const TIMERS_EVERY_MS = 1_000;

/** A saga and the sender of its commands. */
export interface SagaWithSender {
  readonly saga: AnySaga;
  readonly send: SendCommand;
}

interface Hosted {
  readonly handler: SagaHandler;
  readonly runner: SubscriptionRunner;
  readonly timers: Timers;
}

/**
 * Runs every saga, and fires their timers. Timers survive the process, and the clock is injected,
 * so tests move it.
 */
export class Sagas {
  readonly #hosted: readonly Hosted[];
  readonly #stop = new AbortController();
  #firing: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;

  constructor(
    sagas: readonly SagaWithSender[],
    eventStore: EventStore,
    readStore: ReadStore,
    codec: EventCodec,
    bus: Bus,
    clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#hosted = sagas.map(({ saga, send }) => {
      const handler = new SagaHandler(saga, readStore, codec, bus, send);
      const runner = new SubscriptionRunner(handler, eventStore, clock, logger);
      const timers = new Timers(saga.name, readStore, send, clock, logger);
      return { handler, runner, timers };
    });
  }

  start(): void {
    for (const { runner } of this.#hosted) runner.start();
    void this.fireDueTimers();
    this.#firing = setInterval(() => void this.fireDueTimers(), TIMERS_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#firing);
    this.#stop.abort();
    await this.#round;
    await Promise.all(this.#hosted.map(({ runner }) => runner.stop()));
    await Promise.all(this.#hosted.map((hosted) => this.#save(hosted)));
  }

  /** A saga that runs but whose timers fail shows that as its failure. */
  status(): readonly RunnerStatus[] {
    return this.#hosted.map(({ runner, timers }) => {
      const status = runner.status();
      return { ...status, failure: status.failure ?? timers.failure() };
    });
  }

  /** Whether every saga has reacted to everything up to `position` within the time. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    const reached = await Promise.all(
      this.#hosted.map(({ runner }) => runner.reach(position, timeoutMs)),
    );
    return reached.every(Boolean);
  }

  /** Sends the command of each due timer. One round at a time. */
  fireDueTimers(): Promise<void> {
    this.#round ??= this.#fireAll().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  /** In parallel: a saga with slow commands delays no other. */
  async #fireAll(): Promise<void> {
    await Promise.all(
      this.#hosted.map(async (hosted) => {
        await this.#save(hosted);
        try {
          await hosted.timers.fireDue(this.#stop.signal);
        } catch (error) {
          const saga = hosted.handler.name;
          this.logger.error({ err: error, saga }, 'due timers could not be read; retrying');
        }
      }),
    );
  }

  async #save({ handler }: Hosted): Promise<void> {
    try {
      await handler.save();
    } catch (error) {
      const saga = handler.name;
      this.logger.error({ err: error, saga }, 'a saga could not be saved; retrying');
    }
  }
}
