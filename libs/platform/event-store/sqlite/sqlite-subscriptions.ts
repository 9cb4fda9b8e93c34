import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CommittedEvents,
  type EventFilter,
  type SubscribeOptions,
  type SubscriptionBatch,
} from '../event-store.port.js';
import { LiveSubscriptions } from '../live-subscriptions.js';
import { LogSubscription } from '../log-subscription.js';
import { type RecentEvents, RecentGroups } from './recent-groups.js';
import { type CommittedGroup } from './group-commit.js';
import { type LogPage, type SqliteLogReader, PAGE_EVENTS_MAX } from './sqlite-log-reader.js';

/** How often the log is checked for appends of other processes while there are subscriptions. */
const FOREIGN_POLL_MS = 20;

/**
 * Hands the appends of this process to live subscriptions, from memory. Appends of other processes
 * and threads are read from the file, once for all live subscriptions. Each subscription reads for
 * itself the appends that it had no room for, and the appends that do not fit into a page.
 */
export class SqliteSubscriptions {
  readonly #reader: SqliteLogReader;
  readonly #isCommitting: () => boolean;
  /** Live or not. */
  readonly #subscriptions = new Set<LogSubscription>();
  readonly #live: LiveSubscriptions;
  readonly #recent = new RecentGroups();
  readonly #listeners: ((committed: CommittedEvents) => void)[] = [];
  #poll: NodeJS.Timeout | null = null;

  /** @param isCommitting while true, a head beyond the known one may be this process's own */
  constructor(reader: SqliteLogReader, head: number, isCommitting: () => boolean) {
    this.#reader = reader;
    this.#live = new LiveSubscriptions(BigInt(head));
    this.#isCommitting = isCommitting;
  }

  committed(group: CommittedGroup): void {
    this.#recent.add(group);
    const { after, last, units, events } = group;
    this.#handOut(after);
    const position = BigInt(last);
    if (this.#live.isEmpty) this.#live.moveTo(position);
    else this.#live.offer({ events, position, units });
    if (this.#listeners.length === 0) return;
    const committed = { after: BigInt(after), events, sentAtMs: group.sentAtMs };
    for (const listener of this.#listeners) listener(committed);
  }

  listen(listener: (committed: CommittedEvents) => void): void {
    this.#listeners.push(listener);
  }

  /** As `RecentGroups`. */
  since(after: number): RecentEvents | null {
    return this.#recent.since(after);
  }

  /**
   * The position of the last event in the file. Subscriptions that miss events read pages again.
   */
  head(): number {
    const head = this.#reader.head();
    // This was a look at the file: the next one of the timer is due after a full period.
    this.#poll?.refresh();
    if (!this.#isCommitting()) this.#handOut(head);
    return head;
  }

  /** Appends of other writers, up to a position; none where that is known. */
  #handOut(upTo: number): void {
    const after = Number(this.#live.position);
    if (upTo <= after) return;
    const position = BigInt(upTo);
    if (this.#live.isEmpty) {
      this.#live.moveTo(position);
      return;
    }
    const page = this.#pageOf(after, upTo);
    if (page) this.#live.offer({ events: page.events, position, units: page.units });
    else this.#live.fallBehind(position);
  }

  /** Passes what any of the live subscriptions wants. */
  #wanted(): EventFilter | undefined {
    const prefixes = new Set<string>();
    for (const filter of this.#live.filters()) {
      if (filter?.by !== 'type') return undefined;
      for (const prefix of filter.prefixes) prefixes.add(prefix);
    }
    return { by: 'type', prefixes: [...prefixes] };
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

  async *subscribe({ signal, ...options }: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    const subscription = new LogSubscription(options);
    const stop = () => subscription.end();
    signal.addEventListener('abort', stop);
    if (signal.aborted) subscription.end();
    this.#add(subscription);
    try {
      const readPage = this.#reader.all(
        options.filter,
        undefined,
        () => this.#subscriptions.size > 1,
      );
      while (!subscription.over.aborted) {
        const batch = subscription.take();
        if (batch !== null) yield batch;
        else if (subscription.live) await subscription.news();
        else {
          const head = this.#reader.head();
          const page = readPage(Number(subscription.position), head, PAGE_EVENTS_MAX);
          yield this.#advance(subscription, page, head);
          await nextTurn();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#remove(subscription);
    }
  }

  #advance(
    subscription: LogSubscription,
    { events, position }: LogPage,
    head: number,
  ): SubscriptionBatch {
    const isLive = position >= head;
    if (isLive) this.#live.join(subscription);
    return subscription.advance(events, BigInt(position), isLive ? this.#live : null);
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.end();
  }

  #add(subscription: LogSubscription): void {
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

  #remove(subscription: LogSubscription): void {
    this.#live.leave(subscription);
    this.#subscriptions.delete(subscription);
    if (this.#subscriptions.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }
}
