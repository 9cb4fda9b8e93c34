import { type Priority, type RigState, type Visit } from './rig-state.js';
import { type Attempt, RouteError } from './route-error.js';

export interface RigQueueLimits {
  /** Interactive requests that wait at once; the next one is rejected. Default 256. */
  readonly waitingMax: number;
  /** Wait of an interactive request for a slot. Default 10,000. */
  readonly waitMsMax: number;
}

export interface RigQueuePorts {
  readonly now: () => number;
  /** Rejects when the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

export interface RigSlot {
  readonly state: RigState;
  readonly visit: Visit;
}

/** A request for a slot: the rigs that can serve it, and the attempts so far for the error. */
export interface Applicant {
  readonly priority: Priority;
  readonly candidates: readonly RigState[];
  readonly attempts: readonly Attempt[];
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly applicant: Applicant;
  readonly admit: (slot: RigSlot) => void;
  readonly reject: (error: RouteError) => void;
}

/** `Retry-After` where the wait is unknown: a second is the shortest useful one. */
const RETRY_AFTER_MS_MIN = 1_000;

/**
 * Hands out the slots at the rigs. When every rig that is up is full, interactive requests wait in
 * one bounded queue, first come first served among those that the freed rig can serve: a short wait
 * is worth more to a caller than an error, and the bounds keep an overload from becoming a backlog.
 *
 * Lines of batches wait behind them, for as long as it takes: no caller waits for them, and a batch
 * runs only so many at once.
 */
export class RigQueue {
  /** Insertion order is the order of a queue. */
  private readonly queues: Readonly<Record<Priority, Set<Waiting>>> = {
    interactive: new Set(),
    batch: new Set(),
  };

  constructor(
    private readonly limits: RigQueueLimits,
    private readonly ports: RigQueuePorts,
  ) {}

  get waiting(): number {
    return this.queues.interactive.size + this.queues.batch.size;
  }

  /** @throws RouteError overloaded, down, cancelled */
  admit(applicant: Applicant): RigSlot | Promise<RigSlot> {
    const slot = this.tryAdmit(applicant);
    if (slot) return slot;
    const { candidates, attempts, priority, signal } = applicant;
    if (signal.aborted) throw cancelledError(attempts);
    const rejection = this.rejectionOf(candidates, priority, attempts);
    if (rejection) throw rejection;
    return this.wait(applicant);
  }

  /** Why a request for these rigs would be rejected now; null when it gets a slot or may wait. */
  rejectionOf(
    candidates: readonly RigState[],
    priority: Priority,
    attempts: readonly Attempt[] = [],
  ): RouteError | null {
    const nowMs = this.ports.now();
    const up = candidates.filter((state) => state.isUp(nowMs));
    if (up.length === 0) return this.downError(candidates, attempts);
    // Lines of batches wait for as long as it takes.
    if (priority === 'batch') return null;
    const mustWait = !up.some((state) => state.hasSlotFor(priority));
    return mustWait && this.queues.interactive.size >= this.limits.waitingMax
      ? overloadedError(candidates, attempts)
      : null;
  }

  private tryAdmit({ candidates, priority }: Applicant): RigSlot | null {
    const state = this.best(
      priority === 'batch' ? this.unwanted(candidates) : candidates,
      priority,
    );
    if (!state) return null;
    const visit = state.enter(this.ports.now, this.onSlotFree, priority);
    return { state, visit };
  }

  /** The rigs that no interactive request waits for. */
  private unwanted(candidates: readonly RigState[]): readonly RigState[] {
    if (this.queues.interactive.size === 0) return candidates;
    const wanted = new Set<RigState>();
    for (const { applicant } of this.queues.interactive) {
      for (const state of applicant.candidates) wanted.add(state);
    }
    return candidates.filter((state) => !wanted.has(state));
  }

  /** The healthiest, least loaded rig with a slot; equals are drawn. */
  private best(candidates: readonly RigState[], priority: Priority): RigState | null {
    const nowMs = this.ports.now();
    let best: RigState | null = null;
    let bestScore = Infinity;
    let equals = 1;
    for (const state of candidates) {
      if (!state.hasSlotFor(priority) || !state.isUp(nowMs)) continue;
      const score = state.score(nowMs);
      equals = score === bestScore ? equals + 1 : 1;
      if (score > bestScore || (equals > 1 && this.ports.random() * equals >= 1)) continue;
      best = state;
      bestScore = score;
    }
    return best;
  }

  private wait(applicant: Applicant): Promise<RigSlot> {
    const { promise, resolve, reject } = Promise.withResolvers<RigSlot>();
    const timer = new AbortController();
    const queue = this.queues[applicant.priority];
    const end = (): void => {
      queue.delete(waiting);
      applicant.signal.removeEventListener('abort', cancel);
      timer.abort();
    };
    const waiting: Waiting = {
      applicant,
      admit: (slot) => {
        end();
        resolve(slot);
      },
      reject: (error) => {
        end();
        reject(error);
      },
    };
    const cancel = (): void => {
      waiting.reject(cancelledError(applicant.attempts));
    };
    queue.add(waiting);
    applicant.signal.addEventListener('abort', cancel, { once: true });
    if (applicant.priority === 'batch') return promise;
    this.ports.sleep(this.limits.waitMsMax, timer.signal).then(
      () => {
        if (queue.has(waiting))
          waiting.reject(overloadedError(applicant.candidates, applicant.attempts));
      },
      () => {
        // The wait is over; this only stops the timer.
      },
    );
    return promise;
  }

  /** A slot is free: waiting requests that fit take it, and those that no rig can serve fail. */
  private readonly onSlotFree = (): void => {
    this.serve(this.queues.interactive);
    this.serve(this.queues.batch);
  };

  private serve(queue: ReadonlySet<Waiting>): void {
    for (const waiting of queue) {
      const { applicant } = waiting;
      const slot = this.tryAdmit(applicant);
      const nowMs = this.ports.now();
      if (slot) waiting.admit(slot);
      else if (!applicant.candidates.some((state) => state.isUp(nowMs))) {
        waiting.reject(this.downError(applicant.candidates, applicant.attempts));
      }
    }
  }

  private downError(candidates: readonly RigState[], attempts: readonly Attempt[]): RouteError {
    const nowMs = this.ports.now();
    const downMs = candidates.map((state) => state.downMs(nowMs));
    const failures = candidates.map((state) => state.lastFailure).filter((error) => error !== null);
    const rigError = failures.at(-1);
    const cooling = failures.some(({ kind }) => kind === 'overloaded');
    return new RouteError(
      cooling ? 'overloaded' : 'down',
      cooling ? 'every rig for this model asks to wait' : 'every rig for this model is down',
      attempts,
      {
        ...(rigError && { rigError }),
        rigs: candidates.map(({ rig }) => rig.name),
        retryAfterMs: Math.max(RETRY_AFTER_MS_MIN, Math.min(...downMs)),
      },
    );
  }
}

const overloadedError = (
  candidates: readonly RigState[],
  attempts: readonly Attempt[],
): RouteError =>
  new RouteError('overloaded', 'every rig for this model is at its limit', attempts, {
    rigs: candidates.map(({ rig }) => rig.name),
    retryAfterMs: RETRY_AFTER_MS_MIN,
  });

export const cancelledError = (attempts: readonly Attempt[]): RouteError =>
  new RouteError('cancelled', 'the caller left', attempts);
