import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Position } from '../event-store.port.js';
import { type EventGroup } from '../subscription-queue.js';
import { type Connection } from './connection.js';
import { isOwnEvent, positionOf, recordedFrom } from './event.decoding.js';
import { type ClientRecord } from './log-client.js';
import { type EventStoreDbLogReader } from './eventstoredb-log-reader.js';

/** Events that arrived in one turn of the event loop, up to the last that is not of Quipu. */
export type ArrivedGroup = Omit<EventGroup, 'units'>;

export interface TailSubscriptionOptions {
  readonly connection: Connection;
  readonly reader: EventStoreDbLogReader;
  /** A subscription that delivers nothing for this long although the log has grown is renewed. */
  readonly silenceMs: number;
  readonly logger: Logger | undefined;
}

/** Before a dropped subscription is renewed; the pauses grow while it delivers nothing. */
const RENEWALS: BackOff = { firstMs: 20, maxMs: 2_000 };

/**
 * A subscription to everything after a position that never ends by itself: when it is dropped, when
 * the client is replaced and when it falls silent, it resumes after the last delivered event.
 */
export class TailSubscription {
  readonly #options: TailSubscriptionOptions;
  readonly #deliver: (group: ArrivedGroup) => void;
  readonly #over = new AbortController();
  #position: Position;
  /** Records of this turn of the event loop. */
  #arrived: ClientRecord[] = [];

  constructor(
    options: TailSubscriptionOptions,
    after: Position,
    deliver: (group: ArrivedGroup) => void,
  ) {
    this.#options = options;
    this.#position = after;
    this.#deliver = deliver;
    void this.#run();
  }

  /** Everything up to here has been delivered. */
  get position(): Position {
    return this.#position;
  }

  end(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    for (let fruitless = 0; !this.#isOver(); fruitless += 1) {
      const before = this.#position;
      const reason = await this.#subscribeOnce();
      if (this.#position > before) fruitless = 0;
      if (!this.#isOver()) await this.#recover(reason, fruitless);
    }
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #recover(reason: Error | null, fruitless: number): Promise<void> {
    const { connection, logger } = this.#options;
    const { signal } = this.#over;
    const after = String(this.#position);
    logger?.warn({ err: reason, after }, 'the subscription to the log was dropped');
    const pauseMs = backOffMs(RENEWALS, fruitless + 1);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    await connection.usable(signal);
  }

  /** Resolves to the reason of its end. */
  async #subscribeOnce(): Promise<Error | null> {
    const { connection } = this.#options;
    const ended = Promise.withResolvers<Error | null>();
    const stop = () => ended.resolve(null);
    const watch = this.#watch(() => ended.resolve(new Error('it fell silent')));
    const forget = connection.onReplaced(() => ended.resolve(new Error('the client was replaced')));
    this.#over.signal.addEventListener('abort', stop);
    const leave = connection.client.subscribe(this.#position, {
      onEvent: (record) => this.#arrive(record),
      onEnd: (error) => {
        if (error !== null) connection.failed(error);
        ended.resolve(error);
      },
    });
    try {
      return await ended.promise;
    } finally {
      leave();
      forget();
      clearInterval(watch);
      this.#over.signal.removeEventListener('abort', stop);
      this.#flush();
    }
  }

  /** The records of one turn of the event loop are delivered together. */
  #arrive(record: ClientRecord): void {
    if (this.#arrived.length === 0) setImmediate(() => this.#flush());
    this.#arrived.push(record);
  }

  #flush(): void {
    const records = this.#arrived.splice(0).filter((record) => positionOf(record) > this.#position);
    const last = records.at(-1);
    if (last === undefined || this.#over.signal.aborted) return;
    this.#position = positionOf(last);
    const events = records.filter(isOwnEvent).map(recordedFrom);
    this.#deliver({ events, position: this.#position });
  }

  /** Polls the head of the log: the subscription must have reached it by the next poll. */
  #watch(silent: () => void): NodeJS.Timeout {
    let head: Position = 0n;
    const look = async () => {
      if (this.#position < head) silent();
      head = await this.#options.reader.head();
    };
    // The connection's probes handle a head that cannot be read.
    return setInterval(() => void look().catch(() => undefined), this.#options.silenceMs).unref();
  }
}
