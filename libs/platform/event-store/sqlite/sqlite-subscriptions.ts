import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type EventFilter,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { RecentGroups } from './recent-groups.js';
import { SqliteSubscription } from './sqlite-subscription.js';
import { type CommittedGroup } from './group-commit.js';
import { type LogPage, type SqliteLogReader, PAGE_EVENTS_MAX } from './sqlite-log-reader.js';

/** How often the log is checked for appends of other processes while there are subscriptions. */
const FOREIGN_POLL_MS = 20;

/**
 * Hands the appends of this process to live subscriptions, from memory. Appends of other processes
 * and threads are read from the file, once for all live subscriptions. Those that a subscription
 * had no room for, and those that do not fit into a page, each subscription reads for itself.
 */
export class SqliteSubscriptions {
  readonly #reader: SqliteLogReader;
  readonly #isCommitting: () => boolean;
  readonly #subscriptions = new Set<SqliteSubscription>();
  readonly #recent = new RecentGroups();
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
    this.#recent.add(group);
    if (this.#subscriptions.size === 0) return;
    const events = group.recorded();
    for (const subscription of this.#subscriptions) subscription.offer(group, events);
  }

  /** As `RecentGroups`. */
  since(after: number, head: number): readonly RecordedEvent[] | null {
    return this.#recent.since(after, head);
  }

  /**
   * The position of the last event in the file. Subscriptions that miss events read pages again.
   */
  head(): number {
    const head = this.#reader.head();
    if (head > this.#known && !this.#isCommitting()) {
      const after = this.#known;
      this.#known = head;
      if ([...this.#subscriptions].some(({ live }) => live)) this.#handOut(after, head);
    }
    return head;
  }

  /** Appends of another writer. */
  #handOut(after: number, head: number): void {
    const page = this.#pageOf(after, head);
    for (const subscription of this.#subscriptions) {
      if (page) subscription.offer({ after, last: head, units: page.units }, page.events);
      else subscription.fallBehind(head);
    }
  }

  /** Passes what any of the live subscriptions wants. */
  #wanted(): EventFilter | undefined {
    const prefixes = new Set<string>();
    for (const { live, filter } of this.#subscriptions) {
      if (live && filter?.by !== 'type') return undefined;
      if (live) for (const prefix of filter?.prefixes ?? []) prefixes.add(prefix);
    }
    return prefixes.size === 0 ? undefined : { by: 'type', prefixes: [...prefixes] };
  }

  /** Null where one page is not enough, or has an event that only its readers should fail on. */
  #pageOf(after: number, head: number): LogPage | null {
    if (head - after > PAGE_EVENTS_MAX) return null;
    try {
      const page = this.#reader.all(this.#wanted())(after, head, PAGE_EVENTS_MAX);
      return page.position < head ? null : page;
    } catch {
      return null;
    }
  }

  async *subscribe({ after, filter, signal }: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    const subscription = new SqliteSubscription(Number(after ?? 0n), filter);
    const stop = () => subscription.end();
    signal.addEventListener('abort', stop);
    if (signal.aborted) subscription.end();
    this.#add(subscription);
    try {
      const readPage = this.#reader.all(filter, undefined, () => this.#subscriptions.size > 1);
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
