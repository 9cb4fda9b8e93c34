import { checkConsumer, checkName, type EncodedMessage, encodeMessage } from '../bus.checks.js';
import { BusError } from '../bus.errors.js';
import {
  type Bus,
  type BusHealth,
  type BusMessage,
  type Consumer,
  type ConsumerOptions,
  type DeadLetter,
  type Listener,
  type ListenerOptions,
} from '../bus.port.js';
import { type BackOffTimer, Group } from './group.js';
import { InProcessListener } from './in-process-listener.js';

export interface InProcessBusOptions {
  /** For back-off; default `setTimeout` and `Math.random`. */
  readonly timer?: BackOffTimer;
  /** Undelivered messages that a topic holds for its slowest group; default 100,000. */
  readonly topicMessagesMax?: number;
}

const TOPIC_MESSAGES_MAX = 100_000;

const systemTimer: BackOffTimer = {
  start: (delayMs, elapsed) => {
    const timeout = setTimeout(elapsed, delayMs);
    return () => clearTimeout(timeout);
  },
  random: () => Math.random(),
};

/**
 * The bus of a single process. All messages and dead letters are lost when the process ends. The
 * outbox publishes again from its checkpoint in the log.
 */
export const createInProcessBus = (options: InProcessBusOptions = {}): Bus =>
  new InProcessBus(options.timer ?? systemTimer, options.topicMessagesMax ?? TOPIC_MESSAGES_MAX);

interface Topic {
  readonly groups: Map<string, Group>;
  readonly listeners: Set<InProcessListener>;
  /** Messages published before the first group joined, unless a listener was there. */
  early: EncodedMessage[];
}

class InProcessBus implements Bus {
  readonly #topics = new Map<string, Topic>();
  #closing: Promise<void> | null = null;
  #closed = false;

  constructor(
    private readonly timer: BackOffTimer,
    private readonly topicMessagesMax: number,
  ) {}

  publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
    return settled(() => this.#publish(topic, messages));
  }

  consume(options: ConsumerOptions): Promise<Consumer> {
    return settled(() => {
      checkConsumer(options);
      this.#rejectWhen(this.#closing !== null);
      const topic = this.#topic(options.topic);
      return (topic.groups.get(options.group) ?? this.#addGroup(topic, options)).join(options);
    });
  }

  listen(options: ListenerOptions): Promise<Listener> {
    return settled(() => {
      checkName('topic', options.topic);
      this.#rejectWhen(this.#closing !== null);
      const { listeners } = this.#topic(options.topic);
      const listener = new InProcessListener(options, () => listeners.delete(listener));
      listeners.add(listener);
      return listener;
    });
  }

  deadLetters(topic: string, group: string): Promise<readonly DeadLetter[]> {
    return settled(() => this.#group(topic, group)?.deadLetters ?? []);
  }

  retryDeadLetter(topic: string, group: string, id: string): Promise<void> {
    return settled(() => {
      const found = this.#group(topic, group);
      if (!found) throw new BusError('unknown-dead-letter', `${topic} has no group ${group}`);
      found.retry(id);
    });
  }

  health(): Promise<BusHealth> {
    const reason = this.#closing ? 'the bus is closed' : null;
    return Promise.resolve({ reachable: reason === null, reason });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A handler that is still running may publish its result. */
  async #close(): Promise<void> {
    const topics = [...this.#topics.values()];
    const groups = topics.flatMap((topic) => [...topic.groups.values()]);
    const listeners = topics.flatMap((topic) => [...topic.listeners]);
    await Promise.all([...groups, ...listeners].map((receiver) => receiver.close()));
    this.#closed = true;
    this.#topics.clear();
  }

  /** Accepts all of the messages or none. */
  #publish(name: string, messages: readonly BusMessage[]): void {
    checkName('topic', name);
    const encoded = messages.map(encodeMessage);
    this.#rejectWhen(this.#closed);
    const topic = this.#topic(name);
    const groups = [...topic.groups.values()];
    const undelivered = Math.max(topic.early.length, ...groups.map((group) => group.undelivered));
    if (undelivered + encoded.length > this.topicMessagesMax) {
      throw new BusError('topic-full', `${name} holds ${undelivered} undelivered messages`);
    }
    const isKept = groups.length === 0 && topic.listeners.size === 0;
    for (const message of encoded) {
      if (isKept) topic.early.push(message);
      for (const group of groups) group.add(message);
      for (const listener of topic.listeners) listener.add(message);
    }
  }

  #addGroup(topic: Topic, { topic: name, group }: ConsumerOptions): Group {
    const added = new Group(name, group, this.timer);
    topic.groups.set(group, added);
    topic.early.forEach((message) => added.add(message));
    topic.early = [];
    return added;
  }

  #topic(name: string): Topic {
    const known = this.#topics.get(name);
    if (known) return known;
    const added: Topic = { groups: new Map(), listeners: new Set(), early: [] };
    this.#topics.set(name, added);
    return added;
  }

  #group(topic: string, group: string): Group | undefined {
    checkName('topic', topic);
    checkName('group', group);
    this.#rejectWhen(this.#closed);
    return this.#topics.get(topic)?.groups.get(group);
  }

  #rejectWhen(closed: boolean): void {
    if (closed) throw new BusError('bus-unavailable', 'the bus is closed');
  }
}

/** Turns a synchronous throw into a rejection. */
const settled = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve) => resolve(work()));
