import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SubscribeOptions, type SubscriptionBatch } from '../event-store.port.js';
import { SqliteSubscription } from './sqlite-subscription.js';
import { type CommittedGroup } from './group-commit.js';
import { type SqliteLogReader, PAGE_EVENTS_MAX } from './sqlite-log-reader.js';

/** How often the log is checked for appends of other processes while there are subscriptions. */
const FOREIGN_POLL_MS = 20;

/**
 * Hands the appends of this process to live subscriptions, from memory. Appends of other processes,
 * and those that a slow subscription had no room for, are read from the file.
 */
export class SqliteSubscriptions {
  readonly #reader: SqliteLogReader;
  readonly #isCommitting: () => boolean;
  readonly #subscriptions = new Set<SqliteSubscription>();
  /** Live subscriptions have read or been offered everything up to here. */
  #known: number;
  #poll: NodeJS.Timeout | null = null;

  /** @param isCommitting while true, a head beyond the known one may be this process's own */
  constructor(reader: SqliteLogReader, head: number, isCommitting: () => boolean) {
    this.#reader = reader;
    this.#known = head;
    this.#isCommitting = isCommitting;
  }

  committed(group: CommittedGroup): void {
    this.#known = Math.max(this.#known, group.last);
    if (this.#subscriptions.size === 0) return;
    const events = group.recorded();
    for (const subscription of this.#subscriptions) subscription.offer(group, events);
  }

  /**
   * The position of the last event in the file. Subscriptions that miss events read pages again.
   */
  head(): number {
    const head = this.#reader.head();
    if (head > this.#known && !this.#isCommitting()) {
      this.#known = head;
      for (const subscription of this.#subscriptions) subscription.fallBehind(head);
    }
    return head;
  }

  async *subscribe({ after, filter, signal }: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    const subscription = new SqliteSubscription(Number(after ?? 0n), filter);
    const stop = () => subscription.end();
    signal.addEventListener('abort', stop);
    if (signal.aborted) subscription.end();
    this.#add(subscription);
    try {
      const readPage = this.#reader.all(filter);
      while (!subscription.ended) {
        const batch = subscription.take();
        if (batch !== null) yield batch;
        else if (subscription.live) await subscription.news();
        else {
          const head = this.#reader.head();
          const { events, position } = readPage(subscription.position, head, PAGE_EVENTS_MAX);
          yield subscription.advance(events, position, head);
          await nextTurn();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#remove(subscription);
    }
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.end();
  }

  #add(subscription: SqliteSubscription): void {
    this.#subscriptions.add(subscription);
    this.#poll ??= setInterval(() => this.#look(), FOREIGN_POLL_MS).unref();
  }

  #look(): void {
    try {
      this.head();
    } catch {
      // A timer has no caller. The next read of a file that cannot be read fails with the reason.
    }
  }

  #remove(subscription: SqliteSubscription): void {
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }
}
