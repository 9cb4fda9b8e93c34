/**
 * Messages between processes. At least once, in order per key. Every adapter passes one suite
 * (`bus.contract.ts`). Every error is a `BusError`.
 *
 * Messages are tasks and their results. Its fields let a consumer recognise a repeat and a late
 * message. Data that must be folded without a gap is not sent here but read from the log, where a
 * subscription stops at the event that fails.
 */
export interface BusMessage {
  /** 1 to 512 bytes. Messages of one key are handled in order, one at a time. */
  readonly key: string;
  /** A UUID by which a consumer recognises a repeat. */
  readonly id: string;
  /** Strings only: Kafka's headers are strings. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. With key and headers at most 1,000,000 bytes, which is within Kafka's default limit. */
  readonly data: unknown;
}

export interface Delivery extends BusMessage {
  readonly topic: string;
  /** 1 for the first try; counted from 1 again after a restart or a `retryDeadLetter`. */
  readonly attempt: number;
}

export interface DeadLetter extends BusMessage {
  readonly topic: string;
  readonly group: string;
  /** The error's message at the last attempt, cut at 1,000 characters. */
  readonly reason: string;
  readonly attempts: number;
}

export interface ConsumerOptions {
  /** A letter, then up to 127 of `a-z 0-9 - .`; a group's name likewise. */
  readonly topic: string;
  /** Each group sees every message; members of a group share them. */
  readonly group: string;
  /**
   * A rejection is retried with back-off, during which later messages of the key wait. After
   * `attemptsMax` the message becomes a dead letter of the group and the next message of the key is
   * delivered: a saga that sends the next attempt of a task under the same key must get through.
   * Different keys are handled concurrently, up to the limit of the adapter.
   */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** 1 to 100; default 5. */
  readonly attemptsMax?: number;
}

export interface Consumer {
  /**
   * Stops receiving and resolves when no handler is running; a handler must not await it. Unhandled
   * messages are delivered to another member, now or later.
   */
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly topic: string;
  /** Called once for each message, in the order of its key. */
  readonly handle: (message: BusMessage) => void;
  /** Called for a foreign message and when `handle` throws; the message is not handled again. */
  readonly onFailed: (failure: unknown) => void;
}

export interface Listener {
  /** Resolves when `handle` will not be called again. */
  close(): Promise<void>;
}

export interface Bus {
  /**
   * Resolves when the bus has accepted every message. All are checked before the first is accepted.
   * After any other error, publish all of them again.
   * @throws BusError `invalid-message`, `message-too-large`, `topic-full`, `bus-unavailable`
   */
  publish(topic: string, messages: readonly BusMessage[]): Promise<void>;

  /**
   * Joins a group. Groups are identified by name: messages published while a group has no member
   * are delivered later. The first group of a topic starts at its first message, a later one at the
   * messages published after `consume` resolved, or earlier.
   */
  consume(options: ConsumerOptions): Promise<Consumer>;

  /**
   * Receives every message published after `listen` resolved and none from before, as one of any
   * number of listeners, without a group: there is no retry, no dead letter, and nothing to wait
   * for after a crash. A group that joins a topic of listeners may miss what came before it.
   */
  listen(options: ListenerOptions): Promise<Listener>;

  /** In the order in which they were dead-lettered, the latest for each id. */
  deadLetters(topic: string, group: string): Promise<readonly DeadLetter[]>;

  /**
   * Removes a dead letter and delivers it to its group again, behind the waiting messages of its
   * key and with a full number of attempts.
   * @throws BusError `unknown-dead-letter`
   */
  retryDeadLetter(topic: string, group: string, id: string): Promise<void>;

  /**
   * Whether the bus accepts messages now and delivers them to this process. For
   * readiness. Asks the broker where there is one.
   */
  health(): Promise<BusHealth>;

  /** Closes every consumer and listener, then rejects everything; closing twice is allowed. */
  close(): Promise<void>;
}

export interface BusHealth {
  readonly reachable: boolean;
  /** The reason, or null. */
  readonly reason: string | null;
}
