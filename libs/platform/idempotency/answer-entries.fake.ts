import {
  type AnswerEntries,
  type RequestAttemptRef,
  type EntryState,
  type FoundEntry,
  type NewEntry,
  type SeenAttempt,
  type SeenEntry,
} from './answer-entries.port.js';
import { AnswerStoreError } from './answer-store.errors.js';

type Entry = NewEntry & EntryState;

const nameOf = ({ keyHash }: Pick<RequestAttemptRef, 'keyHash'>): string =>
  Buffer.from(keyHash).toString('hex');

/** Entries in memory, which several stores may share; they can be made to be away. */
export class FakeAnswerEntries implements AnswerEntries {
  /** While it is set, every call fails; calls of those kinds alone where it is a list. */
  away: boolean | readonly (keyof AnswerEntries)[] = false;
  readonly calls: (keyof AnswerEntries)[] = [];
  readonly #entries = new Map<string, Entry>();

  start(entry: NewEntry, instead: SeenEntry | null, nowMs: number): Promise<FoundEntry | null> {
    return this.#answer('start', () => {
      const found = this.#entries.get(nameOf(entry));
      const isTaken = found && found.expiresAtMs > nowMs;
      if (isTaken && !(instead && this.#isAsSeen(instead))) return { ...found, isOrphan: false };
      this.#entries.set(nameOf(entry), { ...entry, state: 'running' });
      return null;
    });
  }

  markCharged(seen: SeenAttempt): Promise<boolean> {
    return this.#answer('markCharged', () => {
      const entry = this.#entries.get(nameOf(seen));
      if (!entry || !this.#isUnchanged(seen)) return false;
      this.#entries.set(nameOf(seen), { ...entry, state: 'charged' });
      return true;
    });
  }

  keep(ref: RequestAttemptRef, sealed: Uint8Array | null, expiresAtMs: number): Promise<boolean> {
    return this.#answer('keep', () => {
      const entry = this.#entries.get(nameOf(ref));
      if (entry?.attempt !== ref.attempt) return false;
      if (entry.state !== 'running' && entry.state !== 'charged') return false;
      const state: EntryState = sealed ? { state: 'kept', sealed } : { state: 'too-large' };
      this.#entries.set(nameOf(ref), { ...entry, ...state, expiresAtMs });
      return true;
    });
  }

  remove(ref: RequestAttemptRef): Promise<void> {
    return this.#answer('remove', () => {
      if (this.#running(ref)) this.#entries.delete(nameOf(ref));
    });
  }

  renew(refs: readonly RequestAttemptRef[], leaseEndsAtMs: number): Promise<number> {
    return this.#answer('renew', () => {
      const running = refs.flatMap((ref) => this.#running(ref) ?? []);
      for (const entry of running) {
        this.#entries.set(nameOf(entry), { ...entry, leaseEndsAtMs });
      }
      return running.length;
    });
  }

  sweep(nowMs: number): Promise<number> {
    return this.#answer('sweep', () => {
      const expired = [...this.#entries].filter(([, { expiresAtMs }]) => expiresAtMs <= nowMs);
      for (const [name] of expired) this.#entries.delete(name);
      return expired.length;
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #running(ref: RequestAttemptRef): Entry | undefined {
    const entry = this.#entries.get(nameOf(ref));
    return entry?.attempt === ref.attempt && entry.state === 'running' ? entry : undefined;
  }

  #isUnchanged(seen: SeenAttempt): boolean {
    return this.#isAsSeen({ ...seen, state: 'running' });
  }

  #isAsSeen(seen: SeenEntry): boolean {
    const entry = this.#entries.get(nameOf(seen));
    if (entry?.attempt !== seen.attempt || entry.state !== seen.state) return false;
    return entry.leaseEndsAtMs === seen.leaseEndsAtMs && entry.expiresAtMs === seen.expiresAtMs;
  }

  #answer<Result>(call: keyof AnswerEntries, change: () => Result): Promise<Result> {
    this.calls.push(call);
    const isAway = this.away === true || (this.away !== false && this.away.includes(call));
    if (!isAway) return Promise.resolve(change());
    return Promise.reject(new AnswerStoreError('store-unavailable', 'the fake is away'));
  }
}
