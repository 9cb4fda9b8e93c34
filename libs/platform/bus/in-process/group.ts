import { backOffMs } from '#platform/kernel/back-off.js';
import { BUS_BACK_OFF } from '../back-off.js';
import { ATTEMPTS_DEFAULT, decodeMessage, type EncodedMessage, reasonOf } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import { type Consumer, type ConsumerOptions, type DeadLetter } from '../bus.port.js';
import { Fifo } from './fifo.js';

/** Keys that one consumer handles at the same time. */
const KEYS_AT_ONCE_MAX = 32;

/** The timer and the randomness of the back-off. */
export interface BackOffTimer {
  /** Calls `elapsed` once after the delay, unless the returned function is called before. */
  readonly start: (delayMs: number, elapsed: () => void) => () => void;
  /** A new number from 0 to 1 each time. */
  readonly random: () => number;
}

interface Waiting {
  readonly message: EncodedMessage;
  attempts: number;
}

interface Dead extends Waiting {
  readonly reason: string;
}

interface Member {
  readonly handle: ConsumerOptions['handle'];
  readonly attemptsMax: number;
  readonly running: Set<Promise<void>>;
}

type KeyQueue = Fifo<Waiting>;

/**
 * One group of one topic. The queue of a key is in one state at a time: ready, with the member that
 * handles its head, or waiting for its timer. So a key is handled in order, by any free member.
 */
export class Group {
  readonly #keys = new Map<string, KeyQueue>();
  readonly #ready = new Fifo<KeyQueue>();
  readonly #members = new Set<Member>();
  readonly #dead = new Map<string, Dead>();
  readonly #cancels = new Set<() => void>();
  #waiting = 0;
  #pumping = false;

  constructor(
    private readonly topic: string,
    private readonly name: string,
    private readonly timer: BackOffTimer,
  ) {}

  /** Unfinished messages, dead letters included. */
  get undelivered(): number {
    return this.#waiting + this.#dead.size;
  }

  get deadLetters(): readonly DeadLetter[] {
    const { topic, name: group } = this;
    return [...this.#dead.values()].map(({ message, reason, attempts }) => ({
      ...decodeMessage(message),
      topic,
      group,
      reason,
      attempts,
    }));
  }

  add(message: EncodedMessage): void {
    const waiting = { message, attempts: 0 };
    this.#waiting += 1;
    const queue = this.#keys.get(message.key);
    // An existing queue is already scheduled.
    if (queue) {
      queue.push(waiting);
      return;
    }
    const added: KeyQueue = new Fifo();
    added.push(waiting);
    this.#keys.set(message.key, added);
    this.#makeReady(added);
  }

  retry(id: string): void {
    const dead = this.#dead.get(id);
    if (!dead) {
      throw new BusError('unknown-dead-letter', `${id} in ${this.topic} for ${this.name}`);
    }
    this.#dead.delete(id);
    this.add(dead.message);
  }

  join({ handle, attemptsMax = ATTEMPTS_DEFAULT }: ConsumerOptions): Consumer {
    const member: Member = { handle, attemptsMax, running: new Set() };
    this.#members.add(member);
    this.#pumpSoon();
    return {
      close: async () => {
        this.#members.delete(member);
        await Promise.all(member.running);
      },
    };
  }

  /** Starts no further message; running handlers finish. */
  async close(): Promise<void> {
    const running = [...this.#members].flatMap((member) => [...member.running]);
    this.#members.clear();
    await Promise.all(running);
    for (const cancel of this.#cancels) cancel();
  }

  #makeReady(queue: KeyQueue): void {
    this.#ready.push(queue);
    this.#pumpSoon();
  }

  /** Deferred: handlers do not delay a publisher, and sockets are served between two messages. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#ready.length > 0) {
      const member = this.#leastBusy();
      const queue = member && this.#ready.shift();
      const head = queue?.first();
      if (!member || !queue || !head) return;
      const running = this.#attempt(member, queue, head).finally(() => {
        member.running.delete(running);
        this.#pumpSoon();
      });
      member.running.add(running);
    }
  }

  #leastBusy(): Member | undefined {
    let found: Member | undefined;
    for (const member of this.#members) {
      if (member.running.size < (found?.running.size ?? KEYS_AT_ONCE_MAX)) found = member;
    }
    return found;
  }

  async #attempt(member: Member, queue: KeyQueue, head: Waiting): Promise<void> {
    head.attempts += 1;
    const { message, attempts } = head;
    try {
      await member.handle({ ...decodeMessage(message), topic: this.topic, attempt: attempts });
    } catch (failure) {
      if (attempts < member.attemptsMax) {
        this.#backOff(queue, attempts);
        return;
      }
      // Deleted first, so that an older dead letter under this id moves to the end.
      this.#dead.delete(message.id);
      this.#dead.set(message.id, { message, attempts, reason: reasonOf(failure) });
    }
    this.#goOn(queue, message.key);
  }

  #goOn(queue: KeyQueue, key: string): void {
    queue.shift();
    this.#waiting -= 1;
    if (queue.length > 0) this.#makeReady(queue);
    else this.#keys.delete(key);
  }

  #backOff(queue: KeyQueue, attempt: number): void {
    const cancel = this.timer.start(backOffMs(BUS_BACK_OFF, attempt, this.timer.random()), () => {
      this.#cancels.delete(cancel);
      this.#makeReady(queue);
    });
    this.#cancels.add(cancel);
  }
}
