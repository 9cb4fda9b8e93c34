import { type Logger } from 'pino';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { interruptible } from './interruptible.js';
import { PositionWaiters } from './position-waiters.js';

/**
 * `stopped`: it failed, keeps its place and tries again at `retryAt`. `elsewhere`: another process
 * runs it.
 */
export type LogReaderPhase =
  'starting' | 'catching-up' | 'live' | 'stopped' | 'closed' | 'elsewhere';

export interface LogReaderStatus {
  readonly name: string;
  readonly phase: LogReaderPhase;
  readonly position: Position;
  /** The error that stopped it, or null. */
  readonly failure: string | null;
  /** ISO 8601 UTC, or null. */
  readonly retryAt: string | null;
}

/** How far something has come with the log, whichever process reads it. */
export interface Place {
  start(): void;

  stop(): Promise<void>;

  /** Resolves to whether everything up to `position` was handled within the time. */
  reach(position: Position, timeoutMs: number): Promise<boolean>;

  /** As far as this process knows. */
  readonly position: Position;

  status(): LogReaderStatus | Promise<LogReaderStatus>;
}

/** What reads the log from a place of its own: a projection, a saga, a relay. */
export interface LogFollower {
  readonly name: string;
  /** Event types; every other event is passed over unread. */
  readonly types: readonly string[];
  /** Its own place; undefined before the first run. */
  checkpoint(): Promise<Position | undefined>;
  /**
   * Takes the batch whole or rejects; what it leads to is saved together with a position. After a
   * rejection it is asked for its place anew and handed what comes after that.
   */
  handle(batch: SubscriptionBatch): Promise<void>;
}

/** A place that nothing was saved for moves this far unsaved: a crash passes over it again. */
const POSITIONS_UNSAVED_MAX = 10_000n;
/** But not all the time: the positions of some logs are bytes. */
const PLACE_SAVED_EVERY_MS = 1_000;

/** A follower's place as it was last saved. */
export class SavedPlace {
  #position: Position;
  #savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(position: Position) {
    this.#position = position;
  }

  saved(position: Position): void {
    if (position > this.#position) this.#position = position;
    this.#savedAtMs = performance.now();
  }

  /** Whether a place that nothing was saved for is worth a write. */
  isFarBehind(position: Position): boolean {
    if (position - this.#position < POSITIONS_UNSAVED_MAX) return false;
    return performance.now() - this.#savedAtMs >= PLACE_SAVED_EVERY_MS;
  }
}

const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };
/** While live, events are gathered at least so long: one write then serves many requests. */
const GATHER_MS = 25;
/** And longer where writing takes long: a store that is slow is at rest for most of the time. */
const GATHER_PER_WRITE = 20;
const GATHER_MS_MAX = 1_000;

/**
 * Keeps one follower on the log for as long as the process lives. A failure stops it: it keeps its
 * place, shows itself in `status`, and tries again with back-off. Nothing is ever skipped.
 */
export class LogReader implements Place {
  readonly #stop = new AbortController();
  #phase: LogReaderPhase = 'starting';
  #position: Position = 0n;
  #failure: string | null = null;
  #retryAt: string | null = null;
  readonly #waiters = new PositionWaiters();
  /** Ends the gathering. */
  #hurry: (() => void) | null = null;
  /** Ends the wait before a retry. */
  #endPause: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(
    private readonly follower: LogFollower,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  get position(): Position {
    return this.#position;
  }

  status(): LogReaderStatus {
    return {
      name: this.follower.name,
      phase: this.#phase,
      position: this.#position,
      failure: this.#failure,
      retryAt: this.#retryAt,
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#hurry?.();
    this.#endPause?.();
    await this.#running;
    this.#phase = 'closed';
    this.#waiters.giveUp();
  }

  /**
   * Resolves to whether the follower has handled everything up to `position` within the time. One
   * that has failed is not hurried: its next try comes when it comes.
   */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return true;
    if (this.#phase === 'closed') return false;
    const reached = this.#waiters.wait(position, timeoutMs);
    this.#hurry?.();
    return reached;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stop.signal.aborted; failures += 1) {
      try {
        const from = await this.follower.checkpoint();
        this.#advance(from ?? 0n);
        await this.#follow(from, () => (failures = 0));
      } catch (error) {
        await this.#pause(error, failures);
      }
    }
  }

  async #follow(after: Position | undefined, onProgress: () => void): Promise<void> {
    const { signal } = this.#stop;
    const filter = { by: 'type', prefixes: this.follower.types } as const;
    this.#phase = 'catching-up';
    const place = after === undefined ? {} : { after };
    for await (const batch of this.eventStore.subscribe({ ...place, filter, signal })) {
      const startedAt = performance.now();
      await this.follower.handle(batch);
      onProgress();
      this.#failure = null;
      this.#retryAt = null;
      this.#phase = batch.caughtUp ? 'live' : 'catching-up';
      this.#advance(batch.position);
      if (batch.caughtUp) await this.#gather(performance.now() - startedAt);
    }
    if (!signal.aborted) throw new Error('the subscription ended');
  }

  /** A caller that waits for its own write ends the gathering at once. */
  async #gather(writeMs: number): Promise<void> {
    if (this.#waiters.count > 0 || this.#stop.signal.aborted) return;
    const gatherMs = Math.min(Math.max(GATHER_MS, GATHER_PER_WRITE * writeMs), GATHER_MS_MAX);
    await interruptible(gatherMs, (hurry) => (this.#hurry = hurry));
    this.#hurry = null;
  }

  async #pause(error: unknown, failures: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const delayMs = backOffMs(RETRIES, failures + 1);
    this.#phase = 'stopped';
    this.#failure = error instanceof Error ? error.message : String(error);
    this.#retryAt = new Date(this.clock.now() + delayMs).toISOString();
    this.logger.error(
      { err: error, reader: this.follower.name, position: this.#position.toString(), delayMs },
      'a reader of the log stopped; it keeps its place and tries again',
    );
    await interruptible(delayMs, (end) => (this.#endPause = end));
    this.#endPause = null;
  }

  #advance(position: Position): void {
    if (position > this.#position) this.#position = position;
    this.#waiters.reached(this.#position);
  }
}
