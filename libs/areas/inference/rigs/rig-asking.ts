import { backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type Admission, type AdmissionPorts, cancelledError, type Place } from './admission.js';
import { RigError, type RigErrorKind } from './chat-backend.js';
import { type Rig, type RigState } from './rig-state.js';
import { type Attempt, RouteError, type RouteErrorKind } from './route-error.js';

export interface RetryLimits {
  /** For one request, over all rigs. Default 3. */
  readonly attemptsMax: number;
  /** The first pause before a rig is asked again; it doubles. Default 100. */
  readonly backOffMs: number;
  /** The longest such pause. Default 2,000. */
  readonly backOffMsMax: number;
  /** A rig that wants to be left alone for longer than this is not waited for. Default 10,000. */
  readonly retryAfterMsMax: number;
}

export interface Asked<T> {
  readonly value: T;
  /** Still taken: whoever asked leaves it. */
  readonly place: Place;
  readonly attempts: readonly Attempt[];
}

/** What to do about a failed attempt: wait so long and ask one of these rigs. */
interface Retry {
  readonly pauseMs: number;
  readonly candidates: readonly RigState[];
}

/**
 * Asks one rig after the other until one answers. A rig not yet asked is asked at once; one that was
 * is asked again after exponential back-off with full jitter, or when its `Retry-After` is over.
 */
export class RigAsking {
  constructor(
    private readonly limits: RetryLimits,
    private readonly admission: Admission,
    private readonly clock: Clock,
    private readonly ports: Pick<AdmissionPorts, 'sleep' | 'random'>,
  ) {}

  /** @throws RouteError; anything else that `work` throws but a RigError is a defect, untouched */
  async ask<T>(
    rigs: readonly RigState[],
    signal: AbortSignal,
    work: (rig: Rig) => Promise<T>,
  ): Promise<Asked<T>> {
    const routedAtMs = this.clock.now();
    const attempts: Attempt[] = [];
    for (let candidates = rigs; ;) {
      const place = await this.admission.admit({ candidates, attempts, signal });
      const { rig } = place.state;
      const startedMs = this.clock.now() - routedAtMs;
      try {
        const value = await work(rig);
        place.visit.succeeded();
        const endedMs = this.clock.now() - routedAtMs;
        attempts.push({ rig: rig.name, startedMs, endedMs, outcome: 'answered' });
        return { value, place, attempts };
      } catch (error) {
        const failure = error instanceof RigError ? error : null;
        if (failure) place.visit.failed(failure);
        place.visit.leave();
        if (!failure) throw error;
        const endedMs = this.clock.now() - routedAtMs;
        attempts.push(failedAttempt(rig, startedMs, endedMs, failure));
        const retry = this.retryOf(rigs, attempts, failure);
        if (!retry) throw routeErrorOf(failure, attempts);
        await this.pause(retry.pauseMs, signal, attempts);
        ({ candidates } = retry);
      }
    }
  }

  private retryOf(
    rigs: readonly RigState[],
    attempts: readonly Attempt[],
    failure: RigError,
  ): Retry | null {
    const helpful = whoHelps(failure);
    if (attempts.length >= this.limits.attemptsMax || helpful === 'nobody') return null;
    const nowMs = this.clock.now();
    const asked = new Set(attempts.map(({ rig }) => rig));
    const untried = rigs.filter((state) => !asked.has(state.rig.name) && state.isUp(nowMs));
    if (untried.some((state) => state.hasPlace)) return { pauseMs: 0, candidates: untried };
    const candidates = helpful === 'anybody' ? rigs : untried;
    const waitMs = Math.min(...candidates.map((state) => state.waitMs(nowMs)));
    if (waitMs > this.limits.retryAfterMsMax) return null;
    return { pauseMs: Math.max(waitMs, this.backOffMs(attempts.length)), candidates };
  }

  /** Full jitter: callers that failed together do not come back together. */
  private backOffMs(attempts: number): number {
    const { backOffMs: firstMs, backOffMsMax: maxMs } = this.limits;
    return backOffMs({ firstMs, maxMs, jitter: 1 }, attempts, this.ports.random());
  }

  private async pause(ms: number, signal: AbortSignal, attempts: readonly Attempt[]) {
    if (ms === 0) return;
    try {
      await this.ports.sleep(ms, signal);
    } catch (error) {
      throw signal.aborted ? cancelledError(attempts) : error;
    }
  }
}

/** Who may be asked after a failure: any rig, any but those asked already, or none. */
const whoHelps = ({ kind, details }: RigError): 'anybody' | 'others' | 'nobody' => {
  switch (kind) {
    case 'unreachable':
    case 'overloaded':
      return 'anybody';
    // A status below 500 is about the operator's key or settings: asking again changes nothing.
    case 'failed':
      return details.status !== undefined && details.status < 500 ? 'others' : 'anybody';
    // The caller has waited long enough, or the rig would do it again.
    case 'timed-out':
    case 'malformed':
    case 'broken-off':
      return 'others';
    case 'refused':
    case 'cancelled':
      return 'nobody';
  }
};

const failedAttempt = (
  rig: Rig,
  startedMs: number,
  endedMs: number,
  { kind, details: { status } }: RigError,
): Attempt => ({
  rig: rig.name,
  startedMs,
  endedMs,
  outcome: kind,
  ...(status !== undefined && { status }),
});

const routeErrorOf = (rigError: RigError, attempts: readonly Attempt[]): RouteError => {
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
