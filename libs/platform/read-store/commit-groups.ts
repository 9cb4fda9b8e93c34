import { type EncodedWrite } from './read-store.checks.js';
import { ReadStoreError } from './read-store.errors.js';
import { type ReadStoreCommit } from './read-store.port.js';

/** A commit whose documents are JSON. */
export interface CheckedCommit {
  readonly writes: readonly EncodedWrite[];
  readonly checkpoint: ReadStoreCommit['checkpoint'];
}

interface Pending<Commit> {
  readonly commit: Commit;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes a group as a whole, or rejects: then no checkpoint of it is saved.
 * @returns for each commit why nothing of it was written, or null
 */
type WriteGroup<Commit> = (group: readonly Commit[]) => Promise<readonly (Error | null)[]>;

/**
 * Gathers the commits of one turn of the event loop, and the commits that come while a group is
 * being written: the readers of a process write at about the same time, and a group costs little
 * more than one commit.
 */
export class CommitGroups<Commit extends { readonly writes: readonly unknown[] } = CheckedCommit> {
  readonly #pending: Pending<Commit>[] = [];
  #isScheduled = false;
  #isWriting = false;

  /** @param writesMax of a group; a commit that has more is written alone */
  constructor(
    private readonly write: WriteGroup<Commit>,
    private readonly writesMax = Infinity,
  ) {}

  /** Resolves when it is written; rejects when its checkpoint was not saved. */
  add(commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ commit, resolve, reject });
      this.#schedule();
    });
  }

  /** Writes what is pending, without waiting for the end of the turn. */
  flush(): void {
    while (this.#pending.length > 0) void this.#writeAll(this.#take());
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting || this.#pending.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#writeNext();
    });
  }

  async #writeNext(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.#isWriting = true;
    await this.#writeAll(this.#take());
    this.#isWriting = false;
    this.#schedule();
  }

  #take(): readonly Pending<Commit>[] {
    let writes = 0;
    const end = this.#pending.findIndex(({ commit }, index) => {
      writes += commit.writes.length;
      return index > 0 && writes > this.writesMax;
    });
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end);
  }

  async #writeAll(group: readonly Pending<Commit>[]): Promise<void> {
    try {
      const outcomes = await this.write(group.map(({ commit }) => commit));
      for (const [index, { resolve, reject }] of group.entries()) {
        const rejection = outcomes[index];
        if (rejection) reject(rejection);
        else resolve();
      }
    } catch (error) {
      // One that cannot be written takes no other along. A store that is away takes all.
      const isAway = error instanceof ReadStoreError && error.code === 'store-unavailable';
      if (isAway || group.length === 1) for (const { reject } of group) reject(error);
      else for (const one of group) await this.#writeAll([one]);
    }
  }
}
