import { type EncodedWrite } from '../read-store.checks.js';
import { type ReadStoreCommit } from '../read-store.port.js';

/** A commit whose documents are JSON. */
export interface CheckedCommit {
  readonly writes: readonly EncodedWrite[];
  readonly checkpoint: ReadStoreCommit['checkpoint'];
}

interface PendingCommit extends CheckedCommit {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes a group as a whole, or rejects and writes nothing.
 * @returns for each commit why nothing of it was written, or null
 */
type WriteGroup = (group: readonly CheckedCommit[]) => Promise<readonly (Error | null)[]>;

/**
 * Gathers the commits of one turn of the event loop: the projections of a process write at about
 * the same time, and a transaction costs as much as two documents.
 */
export class CommitGroups {
  #pending: PendingCommit[] = [];

  constructor(private readonly write: WriteGroup) {}

  /** Resolves when it is written; rejects when nothing of it was. */
  add(commit: CheckedCommit): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.flush());
      this.#pending.push({ ...commit, resolve, reject });
    });
  }

  /** Writes what is pending, without waiting for the end of the turn. */
  flush(): void {
    const group = this.#pending;
    this.#pending = [];
    if (group.length > 0) void this.#writeAll(group);
  }

  async #writeAll(group: readonly PendingCommit[]): Promise<void> {
    try {
      const outcomes = await this.write(group);
      for (const [index, { resolve, reject }] of group.entries()) {
        const rejection = outcomes[index];
        if (rejection) reject(rejection);
        else resolve();
      }
    } catch (error) {
      // One that cannot be written takes no other along.
      const [first] = group;
      if (group.length === 1) first?.reject(error);
      else for (const one of group) await this.#writeAll([one]);
    }
  }
}
