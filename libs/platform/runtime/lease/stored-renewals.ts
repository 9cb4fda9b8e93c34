import { ReadStoreError } from '#platform/read-store/read-store.errors.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type LeaseState } from './lease.decider.js';
import { type Renewals, TermOverError } from './renewals.port.js';

interface Watched {
  readonly token: number;
  readonly beats: bigint;
  /** Since when nothing has changed, by the monotonic clock. */
  readonly sinceMs: number;
}

/**
 * The renewals are a number in the read store, under the token of the holder. Clocks of two
 * processes are never compared: a holder counts from when it began its last renewal, the others
 * from when they saw it, which is later.
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
    const lookedAt = this.nowMs();
    this.#beats = (await this.readStore.checkpoint(this.heartbeats)) ?? 0n;
    return released || this.#isSilent(token, this.#beats, lookedAt);
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

  #isSilent(token: number, beats: bigint, lookedAt: number): boolean {
    const before = this.#watched;
    if (before?.token !== token || before.beats !== beats) {
      this.#watched = { token, beats, sinceMs: this.nowMs() };
      return false;
    }
    return lookedAt - before.sinceMs >= this.ttlMs;
  }
}
