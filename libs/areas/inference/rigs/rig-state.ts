import {
  type BreakerEvent,
  type BreakerState,
  type BreakerThresholds,
  closedBreaker,
  evolveBreaker,
  mayPass,
} from './circuit-breaker.js';
import { type RigError, type RigErrorKind } from './chat-backend.js';
import { type ChatFeature } from './chat-features.js';
import { type RigBackend } from './embedding-backend.js';
import { type OperatorFields } from './operator-fields.js';
import { type RetryLimits } from './retry-limits.js';
import { type RigModelCost } from './rig-attempt.js';

/**
 * Interactive requests have a caller who waits. Lines of a batch go behind them, and occupy only a
 * part of a rig.
 */
export type Priority = 'interactive' | 'batch';

/** A rig's name for a model, and how the model is asked. */
export interface RigModelTerms {
  readonly upstreamId: string;
  /** Its share of the model's requests, beside the other rigs; default: 1. */
  readonly weight?: number;
  /** As in `ServedModel`. */
  readonly sendsDefaults: boolean;
  /** Of its weights; default: `unknown`. */
  readonly quantization?: string;
}

/** A rig as the catalog describes it. */
export interface Rig {
  /** Unique; the name in `rig_{name}`. */
  readonly name: string;
  readonly backend: RigBackend;
  /** Requests it answers at once, at least 1. */
  readonly maxConcurrency: number;
  /** Of these, lines of batches; default: all. */
  readonly batchConcurrencyMax?: number;
  /** The catalog ids of the models it serves. */
  readonly models: Pick<ReadonlySet<string>, 'has'> & Iterable<string>;
  /** Its terms by the catalog ids; default: the terms of each model. */
  readonly terms?: ReadonlyMap<string, RigModelTerms>;
  /** The name by which callers prefer or avoid it, beside its own. */
  readonly provider?: string | null;
  /** Whether it may keep what callers send; default: it may. */
  readonly collectsData?: boolean;
  /** Whether a chat reaches it untranslated; default: yes. */
  readonly speaksChat?: boolean;
  /** Where it differs from the router's. */
  readonly breaker?: Partial<BreakerThresholds>;
  /** Where they differ from the router's. */
  readonly retries?: Partial<RetryLimits>;
  /** Its features beyond text; default: all. */
  readonly features?: ReadonlySet<ChatFeature>;
  /** Null or absent: it belongs to no region, and is near to every gateway. */
  readonly region?: string | null;
  /** Whether it is in another region than this gateway; default: no. */
  readonly isRemote?: boolean;
  /**
   * Whether its workers are of this installation: its breaker then stays open for `openMs` only, so
   * that an outage of the bus ends for callers when it ends. Default: no.
   */
  readonly isOwn?: boolean;
  /** Fields that callers may not set; an embedded rig has a list of the fields they may set. */
  readonly operatorFields?: OperatorFields;
  /** The operator's cost of its models, by catalog id. */
  readonly costs?: ReadonlyMap<string, RigModelCost>;
}

/** The state of a rig, for operators. */
export interface RigStatus {
  readonly name: string;
  readonly breaker: BreakerState['status'];
  /** Since when; null: as it was when this process began to ask the rig. */
  readonly breakerSinceMs: number | null;
  /** When an open breaker lets a trial pass; null: it is not open. */
  readonly trialAtMs: number | null;
  readonly inFlight: number;
  readonly maxConcurrency: number;
  /** Share of recent requests that failed, 0 to 1. */
  readonly errorRate: number;
  readonly lastFailure: RigErrorKind | null;
  readonly region: string | null;
  /** A moving average for each model that was streamed, by its catalog id, in milliseconds. */
  readonly firstTokenMs: Readonly<Record<string, number>>;
}

/** A rig goes down when its breaker opens, and comes up when the breaker closes. */
export type RigChange =
  | { readonly rig: string; readonly state: 'up' }
  | { readonly rig: string; readonly state: 'down'; readonly cause: RigError };

/** The weight of the newest outcome in the error rate. */
const ERROR_RATE_STEP = 0.1;

/** Averages halve in this time, so that a rig that is never chosen recovers. */
const HALF_LIFE_MS = 30_000;

/** A rig that fails one request in four counts as busy as one at its limit. */
const ERROR_RATE_WEIGHT = 4;

/** The weight of the newest time to the first token. */
const FIRST_TOKEN_STEP = 0.2;

/** A rig whose first token takes this long, or longer, counts as busy as one at its limit. */
const FIRST_TOKEN_FULL_MS = 1_000;

/** Differences below it are noise: such rigs are drawn. */
const FIRST_TOKEN_STEP_MS = 50;

/** Above the worst score of a rig of the own region, which goes first while it has room. */
const REMOTE_WEIGHT = 16;

/** The parts of a score that a rig has by its health and load. Lower is better. */
export interface HealthParts {
  readonly load: number;
  readonly firstToken: number;
  readonly errors: number;
  /** It is on trial. */
  readonly breaker: number;
  readonly region: number;
}

/** A moving average, and the instant of its newest value. */
interface FirstToken {
  readonly ms: number;
  readonly atMs: number;
}

/** Of one model, after a 429. */
interface Pause {
  readonly untilMs: number;
  readonly cause: RigError;
}

/** Ends one request at a rig. */
export interface Visit {
  /** The rig answered, or rejected the request itself: it is healthy. */
  succeeded(): void;
  failed(error: RigError): void;
  /** Frees the slot; safe to call twice. */
  leave(): void;
}

/** Health and load of one rig, as far as this process has seen them. */
export class RigState {
  inFlight = 0;
  private batchInFlight = 0;
  lastFailure: RigError | null = null;
  private readonly thresholds: BreakerThresholds;
  private breaker: BreakerState = closedBreaker;
  private breakerSinceMs: number | null = null;
  private errorRate = 0;
  private errorRateAtMs = 0;
  /** The end of the `Retry-After` of a 503. */
  private coolsUntilMs = 0;
  /** The ends of the `Retry-After` of a 429, which is about one model. */
  private readonly pausedModels = new Map<string, Pause>();
  private readonly firstTokens = new Map<string, FirstToken>();
  /** Tokens of output in a second, a moving average by model. */
  private readonly speeds = new Map<string, number>();

  constructor(
    readonly rig: Rig,
    thresholds: BreakerThresholds,
    private readonly onChange: (change: RigChange) => void = () => undefined,
  ) {
    const own = { ...thresholds, ...rig.breaker };
    const openMsMax =
      rig.isOwn === true && rig.breaker?.openMsMax === undefined ? own.openMs : own.openMsMax;
    this.thresholds = { ...own, openMsMax };
  }

  get hasSlot(): boolean {
    return this.hasSlotFor('interactive');
  }

  hasSlotFor(priority: Priority): boolean {
    const { maxConcurrency, batchConcurrencyMax = maxConcurrency } = this.rig;
    if (this.inFlight >= maxConcurrency) return false;
    return priority === 'interactive' || this.batchInFlight < batchConcurrencyMax;
  }

  /** Whether it may be sent requests at all, however busy it is. */
  isUp(nowMs: number, model: string): boolean {
    return nowMs >= this.coolUntilMs(model) && mayPass(this.breaker, nowMs);
  }

  /** Milliseconds until it is worth asking again; 0 for a rig that is up. */
  downMs(nowMs: number, model: string): number {
    const openMs = this.breaker.status === 'open' ? this.breaker.untilMs - nowMs : 0;
    return Math.max(0, openMs, this.coolUntilMs(model) - nowMs);
  }

  /** Like `downMs`, for a caller that could wait: an open breaker is not waited for. */
  waitMs(nowMs: number, model: string): number {
    return mayPass(this.breaker, nowMs) ? Math.max(0, this.coolUntilMs(model) - nowMs) : Infinity;
  }

  /** The 429 for which this model waits now, or null. */
  pausedBy(model: string, nowMs: number): RigError | null {
    const pause = this.pausedModels.get(model);
    return pause && nowMs < pause.untilMs ? pause.cause : null;
  }

  private coolUntilMs(model: string): number {
    return Math.max(this.coolsUntilMs, this.pausedModels.get(model)?.untilMs ?? 0);
  }

  healthOf(nowMs: number, model: string): HealthParts {
    return {
      load: this.inFlight / (this.rig.maxConcurrency * this.weightOf(model)),
      firstToken: this.slowness(model, nowMs),
      errors: ERROR_RATE_WEIGHT * this.errorRateAt(nowMs),
      breaker: this.breaker.status === 'closed' ? 0 : ERROR_RATE_WEIGHT,
      region: this.rig.isRemote === true ? REMOTE_WEIGHT : 0,
    };
  }

  weightOf(model: string): number {
    return this.rig.terms?.get(model)?.weight ?? 1;
  }

  /** Counts a stream's time to its first page in the moving average of its model. */
  recordFirstToken(model: string, ms: number, nowMs: number): void {
    const last = this.firstTokens.get(model);
    const average = last === undefined ? ms : last.ms + FIRST_TOKEN_STEP * (ms - last.ms);
    this.firstTokens.set(model, { ms: average, atMs: nowMs });
  }

  recordSpeed(model: string, tokens: number, ms: number): void {
    if (tokens === 0 || ms <= 0) return;
    const speed = (tokens * 1_000) / ms;
    const last = this.speeds.get(model) ?? speed;
    this.speeds.set(model, last + FIRST_TOKEN_STEP * (speed - last));
  }

  /** Infinity where none was measured, so that it is. */
  tokensPerSecondOf(model: string): number {
    return this.speeds.get(model) ?? Infinity;
  }

  /** 0 where none was measured. It fades, so that a slow rig without requests is tried again. */
  firstTokenMsOf(model: string, nowMs: number): number {
    const last = this.firstTokens.get(model);
    return last === undefined ? 0 : last.ms * 0.5 ** ((nowMs - last.atMs) / HALF_LIFE_MS);
  }

  /** 0 to 1. */
  private slowness(model: string, nowMs: number): number {
    const steps = Math.floor(this.firstTokenMsOf(model, nowMs) / FIRST_TOKEN_STEP_MS);
    return Math.min(1, (steps * FIRST_TOKEN_STEP_MS) / FIRST_TOKEN_FULL_MS);
  }

  /** @param onSlotFree is called when the slot is free again */
  enter(
    now: () => number,
    onSlotFree: () => void,
    model: string,
    priority: Priority = 'interactive',
  ): Visit {
    const batchSlots = priority === 'batch' ? 1 : 0;
    this.inFlight += 1;
    this.batchInFlight += batchSlots;
    this.shift({ type: 'started' }, now());
    const { epoch } = this.breaker;
    let present = true;
    return {
      succeeded: () => {
        const nowMs = now();
        this.shift({ type: 'succeeded', epoch }, nowMs);
        this.recordOutcome(0, nowMs);
      },
      failed: (error) => {
        this.recordFailure(error, model, epoch, now());
      },
      leave: () => {
        if (!present) return;
        present = false;
        this.inFlight -= 1;
        this.batchInFlight -= batchSlots;
        this.shift({ type: 'left', epoch }, now());
        onSlotFree();
      },
    };
  }

  status(nowMs: number): RigStatus {
    return {
      name: this.rig.name,
      breaker: this.breaker.status,
      breakerSinceMs: this.breakerSinceMs,
      trialAtMs: this.breaker.status === 'open' ? this.breaker.untilMs : null,
      inFlight: this.inFlight,
      maxConcurrency: this.rig.maxConcurrency,
      errorRate: this.errorRateAt(nowMs),
      lastFailure: this.lastFailure?.kind ?? null,
      region: this.rig.region ?? null,
      firstTokenMs: Object.fromEntries(
        [...this.firstTokens].map(([model, { ms }]) => [model, Math.round(ms)]),
      ),
    };
  }

  private recordFailure(error: RigError, model: string, epoch: number, nowMs: number): void {
    switch (error.kind) {
      case 'cancelled':
        return;
      case 'refused':
        this.shift({ type: 'succeeded', epoch }, nowMs);
        this.recordOutcome(0, nowMs);
        return;
      case 'overloaded':
        this.lastFailure = error;
        this.pause(error, model, nowMs);
        return;
      case 'unreachable':
      case 'timed-out':
      case 'failed':
      case 'malformed':
      case 'broken-off':
        this.lastFailure = error;
        this.shift({ type: 'failed', epoch, atMs: nowMs }, nowMs, error);
        this.recordOutcome(1, nowMs);
    }
  }

  private pause(cause: RigError, model: string, nowMs: number): void {
    const untilMs = nowMs + (cause.details.retryAfterMs ?? 0);
    if (cause.details.status !== 429) {
      this.coolsUntilMs = Math.max(this.coolsUntilMs, untilMs);
    } else if (untilMs >= (this.pausedModels.get(model)?.untilMs ?? 0)) {
      this.pausedModels.set(model, { untilMs, cause });
    }
  }

  /** A trial that fails leaves the rig down: that is no change. */
  private shift(event: BreakerEvent, nowMs: number, cause?: RigError): void {
    const { status } = this.breaker;
    const wasUp = status === 'closed';
    this.breaker = evolveBreaker(this.breaker, event, this.thresholds);
    if (this.breaker.status !== status) this.breakerSinceMs = nowMs;
    const isUp = this.breaker.status === 'closed';
    const { name: rig } = this.rig;
    if (isUp && !wasUp) this.onChange({ rig, state: 'up' });
    else if (wasUp && !isUp && cause) this.onChange({ rig, state: 'down', cause });
  }

  private recordOutcome(failure: 0 | 1, nowMs: number): void {
    if (failure === 0 && this.errorRate === 0) return;
    const rate = this.errorRateAt(nowMs);
    this.errorRate = rate + ERROR_RATE_STEP * (failure - rate);
    this.errorRateAtMs = nowMs;
  }

  private errorRateAt(nowMs: number): number {
    if (this.errorRate === 0) return 0;
    return this.errorRate * 0.5 ** ((nowMs - this.errorRateAtMs) / HALF_LIFE_MS);
  }
}
