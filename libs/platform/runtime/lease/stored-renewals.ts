import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeaseState } from './lease.decider.js';
import { type Renewals, TermOverError } from './renewals.port.js';

interface Watched {
  readonly token: number;
  readonly beats: bigint;
  /** For how long nothing has changed, as far as this process has looked. */
  readonly silentMs: number;
  /** The last look, by the monotonic clock. */
  readonly lookedAtMs: number;
}

/** A look proves this part of the time of a lease at most. */
const LOOK_SHARE = 1 / 3;

/**
 * The renewals are a number in the read store, under the token of the holder. Clocks of two
 * processes are never compared: a holder counts from when it began its last renewal, the others
 * from when they saw it, which is later.
 *
 * A store that is slow or away delays renewals as well: of the time between two looks, at most a
 * third of a lease counts as silence, and a look that fails begins the count again.
 */
export class StoredRenewals implements Renewals {
  readonly election = 'log';
  #watched: Watched | undefined;
  #beats = 0n;

  constructor(
    private readonly readStore: Pick<ReadStore, 'checkpoint' | 'commit'>,
    private readonly heartbeats: string,
    /** A holder without a renewal for this long has lost the lease. */
    private readonly ttlMs: number,
    /** Monotonic milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Reads the renewals in any case: a lease under which it could not write is not taken. */
  async mayTake({ token, released }: LeaseState): Promise<boolean> {
    const lookedAtMs = this.nowMs();
    try {
      this.#beats = (await this.readStore.checkpoint(this.heartbeats)) ?? 0n;
    } catch (error) {
      this.#watched = undefined;
      throw error;
    }
    return released || this.#isSilent(token, this.#beats, lookedAtMs);
  }

  async claim(token: bigint): Promise<boolean> {
    const seen = this.#beats;
    await this.#commit(0n, token);
    this.#beats = (await this.readStore.checkpoint(this.heartbeats)) ?? 0n;
    return this.#beats !== seen;
  }

  renew(token: bigint): Promise<void> {
    this.#beats += 1n;
    return this.#commit(this.#beats, token);
  }

  leave(): Promise<void> {
    return Promise.resolve();
  }

  candidates(): null {
    return null;
  }

  async #commit(position: bigint, fence: bigint): Promise<void> {
    const checkpoint = { name: this.heartbeats, position, fence };
    try {
      await this.readStore.commit({ writes: [], checkpoint });
    } catch (error) {
      const isOver = error instanceof ReadStoreError && error.code === 'fenced-off';
      throw isOver ? new TermOverError('a later term has begun', { cause: error }) : error;
    }
  }

  #isSilent(token: number, beats: bigint, lookedAtMs: number): boolean {
    const before = this.#watched;
    if (before?.token !== token || before.beats !== beats) {
      this.#watched = { token, beats, silentMs: 0, lookedAtMs: this.nowMs() };
      return false;
    }
    const sinceMs = Math.max(0, lookedAtMs - before.lookedAtMs);
    const silentMs = before.silentMs + Math.min(sinceMs, this.ttlMs * LOOK_SHARE);
    this.#watched = { token, beats, silentMs, lookedAtMs };
    return silentMs >= this.ttlMs;
  }
}
