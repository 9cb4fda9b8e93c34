import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock } from '#platform/kernel/clock.js';
import { ProofsFailureError } from './proofs.failures.js';

/** Between the beginnings of two snapshots. */
export const SNAPSHOT_EVERY_MS = 60_000;
/** A request waits so long for the first snapshot. */
const FIRST_WAIT_MS = 8_000;

/** The last snapshot of a statement, and the one that is being proven. */
export class KeptSnapshot<Snapshot extends object> {
  #kept: { readonly position: bigint; readonly snapshot: Snapshot } | null = null;
  /** The one that runs or, where it failed, the last one. */
  #proving: Promise<Snapshot> | null = null;
  #isProving = false;
  #begunAtMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  /**
   * The last snapshot. Where the log has a newer checkpoint, the next one is begun meanwhile.
   * @throws ProofsFailureError while there is none
   */
  async newest(position: bigint, prove: () => Promise<Snapshot>): Promise<Snapshot> {
    if (this.#kept?.position === position) return this.#kept.snapshot;
    const proving = this.#begin(position, prove);
    if (this.#kept) return this.#kept.snapshot;
    const waiting = new AbortController();
    const wait = sleep(FIRST_WAIT_MS, null, { signal: waiting.signal }).catch(() => null);
    const first = await Promise.race([proving, wait]).finally(() => {
      waiting.abort();
    });
    if (first) return first;
    throw new ProofsFailureError('proving', 'the statement is being proven; try again');
  }

  /** The proving that runs; where the last one began too recently, that one with its error. */
  #begin(position: bigint, prove: () => Promise<Snapshot>): Promise<Snapshot> {
    const now = this.clock.now();
    const isEarly = now - this.#begunAtMs < SNAPSHOT_EVERY_MS;
    if (this.#proving && (this.#isProving || isEarly)) return this.#proving;
    this.#begunAtMs = now;
    this.#isProving = true;
    this.#proving = prove()
      .then((snapshot) => {
        this.#kept = { position, snapshot };
        return snapshot;
      })
      .finally(() => {
        this.#isProving = false;
      });
    // A request that waits for it reports the error.
    this.#proving.catch(() => undefined);
    return this.#proving;
  }
}
