import { type Position } from '#platform/event-store/event-store.port.js';
import { type Offered } from '#platform/event-store/position-demand.js';

/**
 * `stopped`: it failed, keeps its checkpoint and retries at `retryAt`. `elsewhere`: another process
 * runs it.
 */
export type RunnerPhase = 'starting' | 'catching-up' | 'live' | 'stopped' | 'closed' | 'elsewhere';

export interface RunnerStatus {
  readonly name: string;
  readonly phase: RunnerPhase;
  readonly position: Position;
  /** Of a reader that is live in this process. */
  readonly offered?: Offered;
  /** The error that stopped it, or null. */
  readonly failure: string | null;
  /** ISO 8601 UTC, or null. */
  readonly retryAt: string | null;
}

/** How far a subscription has come in the log, whichever process runs it. */
export interface LogProgress {
  start(): void;

  stop(): Promise<void>;

  /** Resolves to whether everything up to `position` was handled within the time. */
  reach(position: Position, timeoutMs: number): Promise<boolean>;

  /** As far as this process knows. */
  readonly position: Position;

  status(): RunnerStatus | Promise<RunnerStatus>;
}
