import { type Logger } from 'pino';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import {
  type LogFollower,
  type LogReaderPhase,
  type LogReaderStatus,
  type Place,
} from './log-reader.js';
import { interruptible } from './interruptible.js';
import { PositionWaiters } from './position-waiters.js';

/** Between two looks at the log while somebody waits. */
const AWAITED_POLL_MS = 10;

/**
 * Asks the log every so often for what one follower wants, instead of following all of it: for events
 * that are rare, in a log that is elsewhere, where each of the others would come over the wire to be
 * passed over. A failure keeps the place and is tried again at the same pace. Nothing is ever skipped.
 */
export class LogPoller implements Place {
  readonly #waiters = new PositionWaiters();
  #phase: LogReaderPhase = 'starting';
  #position: Position = 0n;
  #failure: string | null = null;
  #isOver = false;
  /** Ends the pause. */
  #hurry: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(
    private readonly follower: LogFollower,
    private readonly eventStore: EventStore,
    private readonly pollMs: number,
    private readonly logger: Logger,
  ) {}

  get position(): Position {
    return this.#position;
  }

  status(): LogReaderStatus {
    const { name } = this.follower;
    const [phase, position, failure] = [this.#phase, this.#position, this.#failure];
    return { name, phase, position, failure, retryAt: null };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#hurry?.();
    await this.#running;
    this.#phase = 'closed';
    this.#waiters.giveUp();
  }

  /** Asks the log at once, unless it cannot be asked. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return true;
    if (this.#phase === 'closed') return false;
    const reached = this.#waiters.wait(position, timeoutMs);
    if (this.#failure === null) this.#hurry?.();
    return reached;
  }

  async #run(): Promise<void> {
    let from: Position | undefined;
    while (!this.#isOver) {
      try {
        from ??= (await this.follower.checkpoint()) ?? 0n;
        this.#advance(from);
        await this.#poll();
        this.#failure = null;
        this.#phase = 'live';
      } catch (error) {
        this.#fail(error);
      }
      await this.#pause();
    }
  }

  async #poll(): Promise<void> {
    // First, so that a page that has nothing for the follower says how far it has looked.
    const head = await this.eventStore.head();
    if (head <= this.#position) return;
    const filter = { by: 'type', prefixes: this.follower.types } as const;
    for await (const events of this.eventStore.readAll({ after: this.#position, filter })) {
      const position = events.at(-1)?.position ?? this.#position;
      await this.follower.handle({ events, position, caughtUp: false });
      this.#advance(position);
    }
    if (head <= this.#position) return;
    await this.follower.handle({ events: [], position: head, caughtUp: true });
    this.#advance(head);
  }

  /** A short one while somebody waits: what is waited for was there when the wait began. */
  async #pause(): Promise<void> {
    if (this.#isOver) return;
    const isAwaited = this.#waiters.count > 0 && this.#failure === null;
    const pauseMs = isAwaited ? Math.min(AWAITED_POLL_MS, this.pollMs) : this.pollMs;
    await interruptible(pauseMs, (hurry) => (this.#hurry = hurry));
    this.#hurry = null;
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const isNew = reason !== this.#failure;
    this.#failure = reason;
    this.#phase = 'stopped';
    if (!isNew) return;
    this.logger.error(
      { err: error, reader: this.follower.name, position: this.#position.toString() },
      'the log could not be asked; it is asked again',
    );
  }

  #advance(position: Position): void {
    if (position > this.#position) this.#position = position;
    this.#waiters.reached(this.#position);
  }
}
