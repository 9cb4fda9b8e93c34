import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { interruptible } from './interruptible.js';
import { type LogProgress, type RunnerPhase, type RunnerStatus } from './log-progress.js';
import { PositionWaiters } from './position-waiters.js';
import { type SubscriptionHandler } from './subscription-handler.js';

/**
 * The shared part of both runners: the life of one handler on the log, its status, and callers that
 * wait for a position. A subclass reads the log in its `run`, which resolves after `stop`.
 */
export abstract class LogRunner implements LogProgress {
  protected readonly stopping = new AbortController();
  protected readonly waiters = new PositionWaiters();
  protected phase: RunnerPhase = 'starting';
  protected failure: string | null = null;
  #retryAt: string | null = null;
  #position: Position = 0n;
  /** Ends the current pause. */
  #endPause: (() => void) | null = null;
  #running: Promise<void> | null = null;

  constructor(
    protected readonly handler: SubscriptionHandler,
    protected readonly eventStore: EventStore,
  ) {}

  protected abstract run(): Promise<void>;

  get position(): Position {
    return this.#position;
  }

  status(): RunnerStatus {
    return {
      name: this.handler.name,
      phase: this.phase,
      position: this.#position,
      failure: this.failure,
      retryAt: this.#retryAt,
    };
  }

  start(): void {
    this.#running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.#endPause?.();
    await this.#running;
    this.phase = 'closed';
    this.waiters.giveUp();
  }

  /**
   * Resolves to whether the handler has handled everything up to `position` within the time. The
   * pause between two reads ends at once; the pause before a retry does not.
   */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    if (this.#position >= position) return true;
    if (this.phase === 'closed') return false;
    const reached = this.waiters.wait(position, timeoutMs);
    this.callerWaits();
    return reached;
  }

  /** Called for each caller that begins to wait. */
  protected callerWaits(): void {
    if (this.failure === null) this.#endPause?.();
  }

  protected isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  protected advance(position: Position): void {
    if (position > this.#position) this.#position = position;
    this.waiters.reached(this.#position);
  }

  /** @param retryAt ISO 8601 UTC, or null where the next read is the retry */
  protected failed(error: unknown, retryAt: string | null): void {
    this.phase = 'stopped';
    this.failure = error instanceof Error ? error.message : String(error);
    this.#retryAt = retryAt;
  }

  protected succeeded(phase: RunnerPhase): void {
    this.phase = phase;
    this.failure = null;
    this.#retryAt = null;
  }

  protected async pause(delayMs: number): Promise<void> {
    if (this.isStopping()) return;
    await interruptible(delayMs, (end) => (this.#endPause = end));
    this.#endPause = null;
  }
}
