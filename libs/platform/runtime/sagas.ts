import { type Logger } from 'pino';
import { type Bus } from '#platform/bus/bus.port.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type AnySaga } from '#platform/kernel/saga.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type EventCodec } from './event-codec.js';
import { LogReader, type LogReaderStatus } from './log-reader.js';
import { SagaFollower, type SendCommand } from './saga-follower.js';
import { Timers } from './timers.js';

/** How often due timers are looked for; a timer fires at most this much late. */
const TIMERS_EVERY_MS = 1_000;

interface Hosted {
  readonly follower: SagaFollower;
  readonly reader: LogReader;
  readonly timers: Timers;
}

/**
 * Runs every saga, and fires their timers. Timers survive the process, and the clock is injected, so
 * tests move it.
 */
export class Sagas {
  readonly #hosted: readonly Hosted[];
  readonly #stop = new AbortController();
  #looking: NodeJS.Timeout | undefined;
  #look: Promise<void> | null = null;

  constructor(
    sagas: readonly AnySaga[],
    eventStore: EventStore,
    readStore: ReadStore,
    codec: EventCodec,
    bus: Bus,
    send: SendCommand,
    clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#hosted = sagas.map((saga) => {
      const follower = new SagaFollower(saga, readStore, codec, bus, send);
      const reader = new LogReader(follower, eventStore, clock, logger);
      const timers = new Timers(saga.name, readStore, send, clock, logger);
      return { follower, reader, timers };
    });
  }

  start(): void {
    for (const { reader } of this.#hosted) reader.start();
    void this.fireDueTimers();
    this.#looking = setInterval(() => void this.fireDueTimers(), TIMERS_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    this.#stop.abort();
    await this.#look;
    await Promise.all(this.#hosted.map(({ reader }) => reader.stop()));
    await Promise.all(this.#hosted.map((hosted) => this.#save(hosted)));
  }

  /** A saga that runs but whose timers fail shows that as its failure. */
  status(): readonly LogReaderStatus[] {
    return this.#hosted.map(({ reader, timers }) => {
      const status = reader.status();
      return { ...status, failure: status.failure ?? timers.failure() };
    });
  }

  /** Whether every saga has reacted to everything up to `position` within the time. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    const reached = await Promise.all(
      this.#hosted.map(({ reader }) => reader.reach(position, timeoutMs)),
    );
    return reached.every(Boolean);
  }

  /** Sends the command of each timer that is due. One look at a time. */
  fireDueTimers(): Promise<void> {
    this.#look ??= this.#lookAtAll().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  /** Side by side: a saga whose commands take long holds up no other. */
  async #lookAtAll(): Promise<void> {
    await Promise.all(
      this.#hosted.map(async (hosted) => {
        await this.#save(hosted);
        try {
          await hosted.timers.fireDue(this.#stop.signal);
        } catch (error) {
          const saga = hosted.follower.name;
          this.logger.error({ err: error, saga }, 'timers could not be looked at; trying again');
        }
      }),
    );
  }

  async #save({ follower }: Hosted): Promise<void> {
    try {
      await follower.save();
    } catch (error) {
      const saga = follower.name;
      this.logger.error({ err: error, saga }, 'a saga could not be saved; trying again');
    }
  }
}
