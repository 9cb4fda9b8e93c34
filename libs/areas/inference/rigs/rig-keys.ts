import { type Clock } from '#platform/kernel/clock.js';
import { type KeyAffinity, RigError } from './chat-backend.js';
import {
  BREAKER_THRESHOLDS,
  type BreakerEvent,
  type BreakerState,
  closedBreaker,
  evolveBreaker,
  mayPass,
} from './circuit-breaker.js';
import { type Credential } from './dialects/dialect.js';

/** A key that is rejected once is rejected again: one failure opens its breaker. */
const KEY_THRESHOLDS = { ...BREAKER_THRESHOLDS, failuresToOpen: 1 };

/** Statuses about the key and not about the request or the server. */
const KEY_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** A pause after a 429 without `Retry-After`, where another key may answer meanwhile. */
const PAUSE_MS = 1_000;

/** One key: a breaker for its rejections, and a pause for each model that it has used up. */
class RigKey {
  lastFailure: RigError | undefined;
  #breaker: BreakerState = closedBreaker;
  readonly #pausedUntilMs = new Map<unknown, number>();

  constructor(readonly credential: Credential) {}

  /** Milliseconds until it may be asked for this model; 0 for now. */
  downMs(model: unknown, nowMs: number): number {
    const openMs = mayPass(this.#breaker, nowMs) ? 0 : this.#openMs(nowMs);
    return Math.max(0, openMs, this.pausedMs(model, nowMs));
  }

  pausedMs(model: unknown, nowMs: number): number {
    return Math.max(0, (this.#pausedUntilMs.get(model) ?? 0) - nowMs);
  }

  /** @throws the errors of `work` */
  async use<T>(work: (key: Credential) => Promise<T>, model: unknown, clock: Clock): Promise<T> {
    this.#shift({ type: 'started' });
    const { epoch } = this.#breaker;
    try {
      const answer = await work(this.credential);
      this.#shift({ type: 'succeeded', epoch });
      return answer;
    } catch (error) {
      if (isOfKey(error)) this.#failed(error, model, epoch, clock.now());
      throw error;
    } finally {
      this.#shift({ type: 'left', epoch });
    }
  }

  #failed(error: RigError, model: unknown, epoch: number, nowMs: number): void {
    const { kind, details } = error;
    this.lastFailure = error;
    if (kind === 'overloaded') {
      this.#pausedUntilMs.set(model, nowMs + (details.retryAfterMs ?? PAUSE_MS));
      return;
    }
    if (details.status === 401) this.credential.rejected?.();
    this.#shift({ type: 'failed', epoch, atMs: nowMs });
  }

  #openMs(nowMs: number): number {
    return this.#breaker.status === 'open' ? this.#breaker.untilMs - nowMs : Infinity;
  }

  #shift(event: BreakerEvent): void {
    this.#breaker = evolveBreaker(this.#breaker, event, KEY_THRESHOLDS);
  }
}

/**
 * The keys of one rig. The first that may be asked is kept in use, since a provider's cache belongs
 * to its account; a session begins with the key that answered it last. A key that is rejected
 * (401, 402, 403) or used up (429) is followed by the next one within the same attempt.
 */
export class RigKeys {
  readonly #keys: readonly RigKey[];

  constructor(
    private readonly rig: string,
    credentials: readonly Credential[],
    private readonly clock: Clock,
  ) {
    this.#keys = credentials.map((credential) => new RigKey(credential));
  }

  /** @throws RigError of the last key, or for keys that all have to wait */
  ask<T>(
    model: unknown,
    affinity: KeyAffinity | undefined,
    work: (key: Credential | undefined) => Promise<T>,
  ): Promise<T> {
    const [only] = this.#keys;
    if (!only) return work(undefined);
    if (this.#keys.length > 1) return this.#askAny(model, affinity, work);
    return only.credential.rejected ? this.#askOnly(only, work) : work(only.credential);
  }

  async #askAny<T>(
    model: unknown,
    affinity: KeyAffinity | undefined,
    work: (key: Credential) => Promise<T>,
  ): Promise<T> {
    for (const key of this.#inOrder(affinity)) {
      if (key.downMs(model, this.clock.now()) > 0) continue;
      try {
        const answer = await key.use(work, model, this.clock);
        affinity?.answered(this.#keys.indexOf(key));
        return answer;
      } catch (error) {
        if (!isOfKey(error)) throw error;
      }
    }
    throw this.#exhausted(model);
  }

  #inOrder(affinity: KeyAffinity | undefined): readonly RigKey[] {
    const first = this.#keys[affinity?.preferred ?? -1];
    return first ? [first, ...this.#keys.filter((key) => key !== first)] : this.#keys;
  }

  /**
   * The breaker of the rig serves its only key. A token may have been revoked, and a file may have
   * a new key: a credential that can be fetched again is tried once more.
   */
  async #askOnly<T>({ credential }: RigKey, work: (key: Credential) => Promise<T>): Promise<T> {
    try {
      return await work(credential);
    } catch (error) {
      if (!isOfKey(error) || error.details.status !== 401 || !credential.rejected) throw error;
      credential.rejected();
      return work(credential);
    }
  }

  /** A wait helps where a key is only used up. */
  #exhausted(model: unknown): RigError {
    const nowMs = this.clock.now();
    const message = `every key of rig ${this.rig} has to wait`;
    const failures = this.#keys.map(({ lastFailure }) => lastFailure);
    if (!this.#keys.some((key) => key.pausedMs(model, nowMs) > 0)) {
      return failures.find((failure) => failure !== undefined) ?? new RigError('failed', message);
    }
    const waitMs = Math.min(...this.#keys.map((key) => key.downMs(model, nowMs)));
    const used = failures.find((failure) => failure?.kind === 'overloaded');
    const details = { ...used?.details, status: 429, retryAfterMs: waitMs };
    return new RigError('overloaded', message, { ...details, cause: used });
  }
}

const isOfKey = (error: unknown): error is RigError =>
  error instanceof RigError && KEY_STATUSES.has(error.details.status ?? 0);
