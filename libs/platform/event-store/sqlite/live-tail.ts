import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SubscribeOptions, type SubscriptionBatch } from '../event-store.port.js';
import { Follower } from './follower.js';
import { type CommittedGroup } from './group-commit.js';
import { type LogReader, PAGE_EVENTS_MAX } from './log.reader.js';

/** How often other processes' appends are looked for while somebody follows the log. */
const FOREIGN_POLL_MS = 20;

/**
 * Hands what this process appends to those who follow the log, from memory. What another process
 * appended, and what a slow follower had no room for, is read from the file.
 */
export class LiveTail {
  readonly #reader: LogReader;
  readonly #isCommitting: () => boolean;
  readonly #followers = new Set<Follower>();
  /** Followers who are live have seen or been offered everything up to here. */
  #known: number;
  #poll: NodeJS.Timeout | null = null;

  /** @param isCommitting while true, a head beyond the known one may be of our own writer */
  constructor(reader: LogReader, head: number, isCommitting: () => boolean) {
    this.#reader = reader;
    this.#known = head;
    this.#isCommitting = isCommitting;
  }

  committed(group: CommittedGroup): void {
    this.#known = Math.max(this.#known, group.last);
    if (this.#followers.size === 0) return;
    const events = group.recorded();
    for (const follower of this.#followers) follower.offer(group, events);
  }

  /** The position of the last event in the file; sends followers reading if it is news to them. */
  head(): number {
    const head = this.#reader.head();
    if (head > this.#known && !this.#isCommitting()) {
      this.#known = head;
      for (const follower of this.#followers) follower.fallBehind(head);
    }
    return head;
  }

  async *subscribe({ after, filter, signal }: SubscribeOptions): AsyncGenerator<SubscriptionBatch> {
    const follower = new Follower(Number(after ?? 0n), filter);
    const stop = () => follower.end();
    signal.addEventListener('abort', stop);
    if (signal.aborted) follower.end();
    this.#add(follower);
    try {
      const readPage = this.#reader.all(filter);
      while (!follower.ended) {
        const batch = follower.take();
        if (batch !== null) yield batch;
        else if (follower.live) await follower.news();
        else {
          const head = this.#reader.head();
          const { events, position } = readPage(follower.position, head, PAGE_EVENTS_MAX);
          yield follower.advance(events, position, head);
          await nextTurn();
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#remove(follower);
    }
  }

  close(): void {
    for (const follower of this.#followers) follower.end();
  }

  #add(follower: Follower): void {
    this.#followers.add(follower);
    this.#poll ??= setInterval(() => this.#look(), FOREIGN_POLL_MS).unref();
  }

  #look(): void {
    try {
      this.head();
    } catch {
      // A file that cannot be read shows itself to the next one who reads; a timer has no caller.
    }
  }

  #remove(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }
}
