import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type AnyProjection, typesOf } from '#platform/kernel/projection.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LogProgress, type RunnerStatus } from './log-progress.js';
import { PositionWaiters } from './position-waiters.js';

/** The pauses between two reads of the checkpoint while a caller waits. */
const LOOKS: BackOff = { firstMs: 5, maxMs: 200 };

/** Events in one search; with more to search, it waits for the projection to come nearer first. */
const SEARCHED_MAX = 500;

/**
 * The progress of a projection that another process runs: its checkpoint in the read store. The
 * checkpoint is read only while a caller waits, once for all callers. It need not reach the log's
 * head, only the last event before the head that the projection reads, because other events cause
 * no write. A part of the log without such events is searched once.
 */
export class StoredCheckpoint implements LogProgress {
  /** The checkpoint that was read last. */
  #seen: Position = 0n;
  /** Every event of the projection up to `#searched` is at or below this. */
  #concerns: Position = 0n;
  #searched: Position = 0n;
  /** The highest position that a caller waits for. */
  #asked: Position = 0n;
  #searching: Promise<void> | null = null;
  readonly #waiters = new PositionWaiters();
  #polling = false;
  /** Since the last caller began to wait. */
  #looks = 0;
  #closed = false;

  constructor(
    private readonly projection: AnyProjection,
    /** The checkpoint's name. */
    private readonly collection: string,
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
  ) {}

  get position(): Position {
    return this.#seen;
  }

  start(): void {
    // Runs only while a caller waits.
  }

  stop(): Promise<void> {
    this.#closed = true;
    this.#waiters.giveUp();
    return Promise.resolve();
  }

  /** With the position that a query has read last. */
  status(): RunnerStatus {
    const { collection: name } = this;
    return { name, phase: 'elsewhere', position: this.#seen, failure: null, retryAt: null };
  }

  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs;
    for (;;) {
      await this.#search(position);
      if (this.#seen >= min(this.#concerns, position)) {
        if (this.#seen >= position || this.#searched >= position) return true;
        continue;
      }
      const left = endsAt - performance.now();
      if (left <= 0 || !(await this.#wait(min(this.#concerns, position), left))) return false;
    }
  }

  /** Searches on for events that the projection reads; one search at a time, for all callers. */
  async #search(position: Position): Promise<void> {
    if (position > this.#asked) this.#asked = position;
    await this.#searching;
    if (this.#searched >= position || this.#seen >= position) return;
    this.#searching ??= this.#searchOnce(this.#asked).finally(() => {
      this.#searching = null;
    });
    await this.#searching;
  }

  async #searchOnce(upTo: Position): Promise<void> {
    await this.#readCheckpoint();
    const after = max(this.#seen, this.#searched);
    if (after >= upTo) return;
    const types = typesOf(this.projection.on);
    const filter = { by: 'type', prefixes: types } as const;
    let found = 0;
    let last = after;
    for await (const page of this.eventStore.readAll({ after, filter, maxCount: SEARCHED_MAX })) {
      for (const { type, position } of page) {
        found += 1;
        last = position;
        if (types.includes(type)) this.#concerns = max(this.#concerns, position);
      }
    }
    this.#searched = max(this.#searched, found < SEARCHED_MAX ? upTo : last);
  }

  #wait(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const reached = this.#waiters.wait(position, timeoutMs);
    this.#looks = 0;
    void this.#poll();
    return reached;
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    while (this.#waiters.count > 0) {
      // An unavailable store may be back before the callers' time is up.
      await this.#readCheckpoint().catch(() => undefined);
      this.#waiters.reached(this.#seen);
      if (this.#waiters.count === 0) break;
      this.#looks += 1;
      await sleep(backOffMs(LOOKS, this.#looks));
    }
    this.#polling = false;
  }

  async #readCheckpoint(): Promise<void> {
    this.#seen = (await this.readStore.checkpoint(this.collection)) ?? 0n;
  }
}

const min = (one: Position, other: Position): Position => (one < other ? one : other);
const max = (one: Position, other: Position): Position => (one > other ? one : other);
