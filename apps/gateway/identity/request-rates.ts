import { type Caller, type Credential } from '#areas/identity/authentication/caller.js';
import { type Clock } from '#platform/kernel/clock.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import { HttpFailure } from '../errors/http-failure.js';
import { evenly, type RequestRate } from './rate-limit.headers.js';

/** Whose requests are counted. */
interface Counted extends Pick<Caller, 'accountId'> {
  readonly credential: Pick<Credential, 'id'>;
}

/** Requests a minute; 0 for no limit. */
export interface RequestRateLimits {
  readonly perAccount: number;
  readonly perKey: number;
}

const MINUTE_MS = 60_000;
/** Of each kind. One that is forgotten starts again with a whole minute. */
const CALLERS_MAX = 100_000;

/**
 * Limits the requests of each account and of each key, key by key and all keys of the account
 * together. Each may send the requests of a minute at once; they come back evenly. The count is in
 * memory: it does not survive a restart. The processes of one port add what the others have counted
 * (`share`, `countElsewhere`); gateways on several machines each have their own count.
 */
export class RequestRates {
  readonly #accounts: Rates;
  readonly #keys: Rates;
  #onCounted: ((accountId: string, keyId: string) => void) | null = null;

  constructor(
    { perAccount, perKey }: RequestRateLimits,
    private readonly clock: Clock,
  ) {
    this.#accounts = new Rates('account', perAccount);
    this.#keys = new Rates('key', perKey);
  }

  /**
   * Counts a request. One that is rejected counts neither for its account nor for its key.
   * @throws HttpFailure 429
   */
  take({ accountId, credential }: Counted): void {
    const nowMs = this.clock.now();
    this.#accounts.demand(accountId, nowMs);
    this.#keys.demand(credential.id, nowMs);
    this.#accounts.count(accountId, nowMs);
    this.#keys.count(credential.id, nowMs);
    this.#onCounted?.(accountId, credential.id);
  }

  /** @param onCounted called for each request that was counted here */
  share(onCounted: (accountId: string, keyId: string) => void): void {
    this.#onCounted = onCounted;
  }

  /** Requests that other gateways have counted, by account and by key. */
  countElsewhere(accounts: ReadonlyMap<string, number>, keys: ReadonlyMap<string, number>): void {
    const nowMs = this.clock.now();
    for (const [id, times] of accounts) this.#accounts.count(id, nowMs, times);
    for (const [id, times] of keys) this.#keys.count(id, nowMs, times);
  }

  /** The rest of the tighter of the two limits; undefined where none is set. */
  rateOf({ accountId, credential }: Counted): RequestRate | undefined {
    const nowMs = this.clock.now();
    const account = this.#accounts.rateOf(accountId, nowMs);
    const key = this.#keys.rateOf(credential.id, nowMs);
    if (!account || !key) return account ?? key;
    return key.remaining < account.remaining ? key : account;
  }
}

class Rates {
  /** When the requests of a caller have all come back, in milliseconds since the Unix epoch. */
  readonly #wholeAtMs = growingCache<number>(CALLERS_MAX);
  readonly #costMs: number;

  constructor(
    private readonly source: 'account' | 'key',
    private readonly perMinute: number,
  ) {
    this.#costMs = perMinute === 0 ? 0 : MINUTE_MS / perMinute;
  }

  demand(id: string, nowMs: number): void {
    if (this.perMinute === 0) return;
    const waitMs = this.#after(id, nowMs) - nowMs - MINUTE_MS;
    if (waitMs > 0) throw this.#tooMany(waitMs);
  }

  count(id: string, nowMs: number, times = 1): void {
    if (this.perMinute > 0) this.#wholeAtMs.set(id, this.#after(id, nowMs, times));
  }

  rateOf(id: string, nowMs: number): RequestRate | undefined {
    if (this.perMinute === 0) return undefined;
    return evenly(this.#knownWholeAtMs(id, nowMs), nowMs, this.perMinute);
  }

  #after(id: string, nowMs: number, times = 1): number {
    return Math.max(this.#knownWholeAtMs(id, nowMs), nowMs) + this.#costMs * times;
  }

  /** An instant more than a minute away is from before the clock stepped back. */
  #knownWholeAtMs(id: string, nowMs: number): number {
    const known = this.#wholeAtMs.get(id) ?? 0;
    if (known <= nowMs + MINUTE_MS) return known;
    this.#wholeAtMs.set(id, nowMs + MINUTE_MS);
    return nowMs + MINUTE_MS;
  }

  #tooMany(waitMs: number): HttpFailure {
    return new HttpFailure({
      status: 429,
      code: 'rate_limit_exceeded',
      message: `this ${this.source} may send ${this.perMinute} requests a minute; try again later`,
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
      metadata: { limit_source: this.source, requests_per_minute: this.perMinute },
    });
  }
}
