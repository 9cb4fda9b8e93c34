import { type LostRig } from '#events/inference/chat.evidence.js';
import { FairQueue } from '#platform/kernel/fair-queue.js';
import { LOST_RIGS_MAX, lostTo, rounded, type ScoredRig } from './choice/lost-rig.js';
import { type RigChoice, type ScoreParts, totalOf } from './choice/rig-choice.js';
import { type Priority, type RigState, type Visit } from './rig-state.js';
import { type RouteAttempt, RouteError } from './route-error.js';

export interface RigQueueLimits {
  /** Interactive requests that wait at once; the next one is rejected. Default 256. */
  readonly waitingMax: number;
  /** Of these, of one account. Default 128: half of the queue. */
  readonly waitingPerAccountMax: number;
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
  /** Undefined where there was no choice. */
  readonly score: number | undefined;
  /** The other candidates. */
  readonly lost: readonly LostRig[];
}

/** A request for a slot: the rigs that can serve it, and the attempts so far for the error. */
export interface Applicant {
  readonly priority: Priority;
  /** Whose turn it uses in a queue. */
  readonly account: string;
  /** The catalog id of the model, by which first tokens are timed. */
  readonly model: string;
  readonly candidates: readonly RigState[];
  readonly choice: RigChoice;
  readonly attempts: readonly RouteAttempt[];
  readonly signal: AbortSignal;
}

/** The chosen rig, and the others. */
interface Chosen extends Pick<RigSlot, 'score' | 'lost'> {
  readonly state: RigState;
}

interface Waiting {
  readonly applicant: Applicant;
  readonly admit: (slot: RigSlot) => void;
  readonly reject: (error: RouteError) => void;
}

const NO_RIGS: readonly LostRig[] = [];

/** `Retry-After` where the wait is unknown: a second is the shortest useful one. */
const RETRY_AFTER_MS_MIN = 1_000;

/**
 * Hands out the slots at the rigs. When every rig that is up is full, interactive requests wait in
 * one bounded queue: a short wait is worth more to a caller than an error, and the bounds keep an
 * overload from becoming a backlog. A freed slot goes to the account whose turn it is, and there to
 * the first request that the rig can serve. While no request waits, no queue is looked at.
 *
 * Lines of batches wait behind them, for as long as it takes: no caller waits for them, and a batch
 * runs a bounded number of lines at once.
 */
export class RigQueue {
  private readonly queues: Readonly<Record<Priority, FairQueue<Waiting>>> = {
    interactive: new FairQueue(),
    batch: new FairQueue(),
  };

  constructor(
    private readonly limits: RigQueueLimits,
    private readonly ports: RigQueuePorts,
  ) {}

  get waiting(): number {
    return this.queues.interactive.size + this.queues.batch.size;
  }

  /** @throws RouteError overloaded, queue-full, down, cancelled */
  admit(applicant: Applicant): RigSlot | Promise<RigSlot> {
    // A rig may have come up without a freed slot: waiting requests take its slots first.
    if (this.queues.interactive.size > 0) this.serve('interactive');
    const slot = this.tryAdmit(applicant);
    if (slot) return slot;
    const { attempts, signal } = applicant;
    if (signal.aborted) throw cancelledError(attempts);
    const rejection = this.rejectionOf(applicant);
    if (rejection) throw rejection;
    return this.wait(applicant);
  }

  /** The rig that the request would get now, alone; all of them where it would get none. */
  bestOf(applicant: Applicant): readonly RigState[] {
    const chosen = this.best(applicant);
    return chosen ? [chosen.state] : applicant.candidates;
  }

  /** Why this request would be rejected now; null when it gets a slot or may wait. */
  rejectionOf({
    candidates,
    priority,
    account,
    attempts,
    model,
  }: Omit<Applicant, 'signal' | 'choice'>): RouteError | null {
    const nowMs = this.ports.now();
    let isAnyUp = false;
    for (const state of candidates) {
      if (!state.isUp(nowMs, model)) continue;
      if (state.hasSlotFor(priority)) return null;
      isAnyUp = true;
    }
    if (!isAnyUp) return this.downError(candidates, model, attempts);
    // Lines of batches wait for as long as it takes.
    if (priority === 'batch') return null;
    const { waitingMax, waitingPerAccountMax } = this.limits;
    if (this.queues.interactive.size >= waitingMax) {
      return queueFullError(`${waitingMax} requests wait for a rig already`, candidates, attempts);
    }
    if (this.queues.interactive.sizeOf(account) < waitingPerAccountMax) return null;
    const message = `${waitingPerAccountMax} requests of this account wait for a rig already`;
    return queueFullError(message, candidates, attempts);
  }

  private tryAdmit(applicant: Applicant): RigSlot | null {
    const { priority, model } = applicant;
    const chosen = this.best(applicant);
    if (!chosen) return null;
    const visit = chosen.state.enter(this.ports.now, this.onSlotFree, model, priority);
    const { state, score, lost } = chosen;
    return { state, score, lost, visit };
  }

  /** The rig with a slot and the lowest score; weights draw equals. */
  private best({ candidates, priority, model, choice }: Applicant): Chosen | null {
    const nowMs = this.ports.now();
    const [only] = candidates;
    if (only && candidates.length === 1) {
      const isFree = only.hasSlotFor(priority) && only.isUp(nowMs, model);
      return isFree ? { state: only, score: undefined, lost: NO_RIGS } : null;
    }
    let best: (ScoredRig & { readonly state: RigState }) | undefined;
    let bestScore = Infinity;
    let weights = 0;
    const others: (LostRig | ScoredRig)[] = [];
    for (const state of candidates) {
      const rig = state.rig.name;
      if (!state.isUp(nowMs, model)) {
        others.push({ rig, reason: 'down' });
        continue;
      }
      if (!state.hasSlotFor(priority)) {
        others.push({ rig, reason: 'full' });
        continue;
      }
      const parts: ScoreParts = { ...state.healthOf(nowMs, model), ...choice.of(state) };
      const score = totalOf(parts);
      const weight = state.weightOf(model);
      const isEqual = score === bestScore;
      if (score <= bestScore) weights = isEqual ? weights + weight : weight;
      if (score > bestScore || (isEqual && this.ports.random() * weights >= weight)) {
        others.push({ rig, parts });
        continue;
      }
      if (best) others.push(best);
      best = { state, rig, parts };
      bestScore = score;
    }
    if (!best) return null;
    const { state, parts } = best;
    const lost = others
      .slice(0, LOST_RIGS_MAX)
      .map((one) => ('parts' in one ? lostTo(parts, one) : one));
    return { state, score: rounded(bestScore), lost };
  }

  private wait(applicant: Applicant): Promise<RigSlot> {
    const { promise, resolve, reject } = Promise.withResolvers<RigSlot>();
    const timer = new AbortController();
    const { account } = applicant;
    const queue = this.queues[applicant.priority];
    const end = (): void => {
      queue.delete(account, waiting);
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
    queue.add(account, waiting);
    applicant.signal.addEventListener('abort', cancel, { once: true });
    if (applicant.priority === 'batch') return promise;
    this.ports.sleep(this.limits.waitMsMax, timer.signal).then(
      () => {
        if (queue.has(account, waiting))
          waiting.reject(overloadedError(applicant.candidates, applicant.attempts));
      },
      () => {
        // The wait is over; this only stops the timer.
      },
    );
    return promise;
  }

  /** A slot is free: waiting requests that fit take it, and requests that no rig can serve fail. */
  private readonly onSlotFree = (): void => {
    this.serve('interactive');
    this.serve('batch');
  };

  private serve(priority: Priority): void {
    const queue = this.queues[priority];
    if (queue.size === 0) return;
    queue.serve((waiting) => {
      const slot = this.tryAdmit(waiting.applicant);
      if (slot) waiting.admit(slot);
      return slot !== null;
    });
    if (queue.size > 0) this.rejectUnserved(queue);
  }

  private rejectUnserved(queue: Iterable<Waiting>): void {
    const nowMs = this.ports.now();
    for (const waiting of [...queue]) {
      const { candidates, attempts, model } = waiting.applicant;
      if (candidates.some((state) => state.isUp(nowMs, model))) continue;
      waiting.reject(this.downError(candidates, model, attempts));
    }
  }

  private downError(
    candidates: readonly RigState[],
    model: string,
    attempts: readonly RouteAttempt[],
  ): RouteError {
    const nowMs = this.ports.now();
    const downMs = candidates.map((state) => state.downMs(nowMs, model));
    const failures = candidates.map((state) => state.lastFailure).filter((error) => error !== null);
    const pauses = candidates.map((state) => state.pausedBy(model, nowMs));
    const rigError = pauses.find((cause) => cause !== null) ?? failures.at(-1);
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
  attempts: readonly RouteAttempt[],
): RouteError =>
  new RouteError('overloaded', 'every rig for this model is at its limit', attempts, {
    rigs: candidates.map(({ rig }) => rig.name),
    retryAfterMs: RETRY_AFTER_MS_MIN,
  });

const queueFullError = (
  message: string,
  candidates: readonly RigState[],
  attempts: readonly RouteAttempt[],
): RouteError =>
  new RouteError('queue-full', message, attempts, {
    rigs: candidates.map(({ rig }) => rig.name),
    retryAfterMs: RETRY_AFTER_MS_MIN,
  });

export const cancelledError = (attempts: readonly RouteAttempt[]): RouteError =>
  new RouteError('cancelled', 'the caller left', attempts);
