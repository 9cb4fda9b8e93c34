import { type RigState, type Visit } from './rig-state.js';
import { type Attempt, RouteError } from './route-error.js';

export interface RigQueueLimits {
  /** Requests that wait for a slot at once; the next one is rejected. Default 256. */
  readonly waitingMax: number;
  /** Wait for a slot. Default 10,000. */
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
 * Hands out the slots at the rigs. When every rig that is up is full, requests wait in one bounded
 * queue, first come first served among those that the freed rig can serve: a short wait is worth
 * more to a caller than an error, and the bounds keep an overload from becoming a backlog.
 */
export class RigQueue {
  /** Insertion order is the order of the queue. */
  private readonly queue = new Set<Waiting>();

  constructor(
    private readonly limits: RigQueueLimits,
    private readonly ports: RigQueuePorts,
  ) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** @throws RouteError overloaded, down, cancelled */
  admit(applicant: Applicant): RigSlot | Promise<RigSlot> {
    const slot = this.tryAdmit(applicant);
    if (slot) return slot;
    if (applicant.signal.aborted) throw cancelledError(applicant.attempts);
    const nowMs = this.ports.now();
    if (!applicant.candidates.some((state) => state.isUp(nowMs))) throw this.downError(applicant);
    if (this.queue.size >= this.limits.waitingMax) throw overloadedError(applicant);
    return this.wait(applicant);
  }

  private tryAdmit({ candidates }: Applicant): RigSlot | null {
    const state = this.best(candidates);
    if (!state) return null;
    const visit = state.enter(this.ports.now, this.onSlotFree);
    return { state, visit };
  }

  /** The healthiest, least loaded rig with a slot; equals are drawn. */
  private best(candidates: readonly RigState[]): RigState | null {
    const nowMs = this.ports.now();
    let best: RigState | null = null;
    let bestScore = Infinity;
    let equals = 1;
    for (const state of candidates) {
      if (!state.hasSlot || !state.isUp(nowMs)) continue;
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
    const end = (): void => {
      this.queue.delete(waiting);
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
    this.queue.add(waiting);
    applicant.signal.addEventListener('abort', cancel, { once: true });
    this.ports.sleep(this.limits.waitMsMax, timer.signal).then(
      () => {
        if (this.queue.has(waiting)) waiting.reject(overloadedError(applicant));
      },
      () => {
        // The wait is over; this only stops the timer.
      },
    );
    return promise;
  }

  /** A slot is free: waiting requests that fit take it, and those that no rig can serve fail. */
  private readonly onSlotFree = (): void => {
    for (const waiting of this.queue) {
      const { applicant } = waiting;
      const slot = this.tryAdmit(applicant);
      const nowMs = this.ports.now();
      if (slot) waiting.admit(slot);
      else if (!applicant.candidates.some((state) => state.isUp(nowMs))) {
        waiting.reject(this.downError(applicant));
      }
    }
  };

  private downError({ candidates, attempts }: Applicant): RouteError {
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
        retryAfterMs: Math.max(RETRY_AFTER_MS_MIN, Math.min(...downMs)),
      },
    );
  }
}

const overloadedError = ({ attempts }: Applicant): RouteError =>
  new RouteError('overloaded', 'every rig for this model is at its limit', attempts, {
    retryAfterMs: RETRY_AFTER_MS_MIN,
  });

export const cancelledError = (attempts: readonly Attempt[]): RouteError =>
  new RouteError('cancelled', 'the caller left', attempts);
