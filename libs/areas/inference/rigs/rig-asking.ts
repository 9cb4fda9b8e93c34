import { backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Applicant, type RigQueue, type RigQueuePorts } from './rig-queue.js';
import { cancelledError, type RigSlot } from './rig-queue.js';
import { RigError, type RigErrorKind } from './chat-backend.js';
import { type AttemptMeter } from './rig-attempt.js';
import { type RetryLimits } from './retry-limits.js';
import { type Rig, type RigState } from './rig-state.js';
import { type RouteAttempt, RouteError, type RouteErrorKind } from './route-error.js';

/** One attempt at one rig. */
export interface Attempt<T> {
  readonly value: Promise<T>;
  /** Observes how it fails. Absent: nothing does. */
  readonly meter?: AttemptMeter;
}

export interface Asked<T> {
  readonly value: T;
  /** Of the attempt that succeeded. */
  readonly meter: AttemptMeter | undefined;
  /** Still occupied: the caller frees it. */
  readonly slot: RigSlot;
  readonly attempts: readonly RouteAttempt[];
}

/** For whom the rigs are asked, and how urgently. */
export interface Asking extends Pick<
  Applicant,
  'account' | 'model' | 'priority' | 'signal' | 'choice'
> {
  readonly rigs: readonly RigState[];
}

/** The next step after a failed attempt: a wait, and the rigs that may be asked. */
interface Retry {
  readonly pauseMs: number;
  readonly candidates: readonly RigState[];
}

const NO_ATTEMPTS: readonly RouteAttempt[] = [];

/**
 * Asks one rig after the other until one answers. A rig that was not asked yet is asked at once,
 * the others after exponential back-off with full jitter, or after their `Retry-After`.
 */
export class RigAsking {
  constructor(
    private readonly limits: RetryLimits,
    private readonly queue: RigQueue,
    private readonly clock: Clock,
    private readonly ports: Pick<RigQueuePorts, 'sleep' | 'random'>,
  ) {}

  /** @throws RouteError; other errors of an attempt than a RigError are defects and pass through */
  async ask<T>(asking: Asking, attempt: (rig: Rig) => Attempt<T>): Promise<Asked<T>> {
    const { rigs, account, model, priority, signal, choice } = asking;
    const routedAtMs = this.clock.now();
    let attempts = NO_ATTEMPTS;
    for (let candidates = rigs; ;) {
      const applicant = { account, model, priority, signal, choice, candidates, attempts };
      const place = this.queue.admit(applicant);
      const slot = place instanceof Promise ? await place : place;
      const { rig } = slot.state;
      const startedMs = this.clock.now() - routedAtMs;
      let meter: AttemptMeter | undefined;
      try {
        const begun = attempt(rig);
        ({ meter } = begun);
        const value = await begun.value;
        slot.visit.succeeded();
        const endedMs = this.clock.now() - routedAtMs;
        const answered: RouteAttempt = { rig: rig.name, startedMs, endedMs, outcome: 'answered' };
        return { value, meter, slot, attempts: [...attempts, answered] };
      } catch (error) {
        meter?.failed(error);
        const failure = failureAt(slot, error);
        const endedMs = this.clock.now() - routedAtMs;
        attempts = [...attempts, failedAttempt(rig, startedMs, endedMs, failure)];
        candidates = await this.afterFailure(asking, attempts, failure);
      }
    }
  }

  /** Waits until the rigs that it returns may be asked. @throws RouteError when there are none */
  private async afterFailure(
    { rigs, model, signal }: Pick<Asking, 'rigs' | 'model' | 'signal'>,
    attempts: readonly RouteAttempt[],
    failure: RigError,
  ): Promise<readonly RigState[]> {
    const retry = this.retryOf(rigs, model, attempts, failure);
    if (!retry) throw routeErrorOf(failure, attempts);
    await this.pause(retry.pauseMs, signal, attempts);
    return retry.candidates;
  }

  private retryOf(
    rigs: readonly RigState[],
    model: string,
    attempts: readonly RouteAttempt[],
    failure: RigError,
  ): Retry | null {
    const retryable = retryableRigs(failure);
    const attemptsMax = Math.max(...rigs.map((state) => this.limitsOf(state).attemptsMax));
    if (attempts.length >= attemptsMax || retryable === 'none') return null;
    const nowMs = this.clock.now();
    const asked = countsOf(attempts);
    const untried = rigs.filter((state) => !asked.has(state.rig.name) && state.isUp(nowMs, model));
    if (untried.some((state) => state.hasSlot)) return { pauseMs: 0, candidates: untried };
    const candidates = (retryable === 'any' ? rigs : untried).filter((state) => {
      const { attemptsMax: most, retryAfterMsMax } = this.limitsOf(state);
      const left = most - (asked.get(state.rig.name) ?? 0);
      return left > 0 && state.waitMs(nowMs, model) <= retryAfterMsMax;
    });
    const [first] = candidates.toSorted(
      (one, other) => one.waitMs(nowMs, model) - other.waitMs(nowMs, model),
    );
    if (!first) return null;
    const waitMs = first.waitMs(nowMs, model);
    return { pauseMs: Math.max(waitMs, this.backOffMs(first, attempts.length)), candidates };
  }

  private limitsOf({ rig }: RigState): RetryLimits {
    return rig.retries ? { ...this.limits, ...rig.retries } : this.limits;
  }

  /** Full jitter: callers that failed together do not retry together. */
  private backOffMs(state: RigState, attempts: number): number {
    const { backOffMs: firstMs, backOffMsMax: maxMs } = this.limitsOf(state);
    return backOffMs({ firstMs, maxMs, jitter: 1 }, attempts, this.ports.random());
  }

  private async pause(ms: number, signal: AbortSignal, attempts: readonly RouteAttempt[]) {
    if (ms === 0) return;
    try {
      await this.ports.sleep(ms, signal);
    } catch (error) {
      throw signal.aborted ? cancelledError(attempts) : error;
    }
  }
}

/** How often each rig was asked. */
const countsOf = (attempts: readonly RouteAttempt[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { rig } of attempts) counts.set(rig, (counts.get(rig) ?? 0) + 1);
  return counts;
};

/** Frees the slot. @throws what is no failure of the rig */
const failureAt = ({ visit }: RigSlot, error: unknown): RigError => {
  if (error instanceof RigError) visit.failed(error);
  visit.leave();
  if (error instanceof RigError) return error;
  throw error;
};

/** The rigs that may be asked after a failure: any, those not asked yet, or none. */
const retryableRigs = ({ kind, details }: RigError): 'any' | 'others' | 'none' => {
  switch (kind) {
    case 'unreachable':
    case 'overloaded':
      return 'any';
    // A status below 500 concerns the operator's key or settings: a retry changes nothing.
    case 'failed':
      return details.status !== undefined && details.status < 500 ? 'others' : 'any';
    // The caller has waited long enough, or the rig would do it again.
    case 'timed-out':
    case 'malformed':
    case 'broken-off':
      return 'others';
    case 'refused':
    case 'cancelled':
      return 'none';
  }
};

const failedAttempt = (
  rig: Rig,
  startedMs: number,
  endedMs: number,
  { kind, details: { status } }: RigError,
): RouteAttempt => ({
  rig: rig.name,
  startedMs,
  endedMs,
  outcome: kind,
  ...(status !== undefined && { status }),
});

const routeErrorOf = (rigError: RigError, attempts: readonly RouteAttempt[]): RouteError => {
  const { retryAfterMs } = rigError.details;
  return new RouteError(routeErrorKindOf(rigError.kind), rigError.message, attempts, {
    rigError,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

const routeErrorKindOf = (kind: RigErrorKind): RouteErrorKind => {
  switch (kind) {
    case 'refused':
    case 'cancelled':
    case 'overloaded':
      return kind;
    case 'unreachable':
    case 'timed-out':
    case 'failed':
    case 'malformed':
    case 'broken-off':
      return 'failed';
  }
};
