/**
 * Documents that projections build. Everything here can be thrown away and rebuilt from the log.
 * Every adapter passes one suite (`read-store.contract.ts`). Every error is a `ReadStoreError`.
 */
import { type Position } from '#platform/event-store/event-store.port.js';

/** A letter, then up to 63 of `a-z 0-9 - .`; a rebuild adds `.v<version>`. */
export type CollectionName = string;

export interface StoredDocument<Document> {
  /** 1 to 512 bytes of well-formed UTF-8 without NUL; ordered by bytes. */
  readonly key: string;
  readonly document: Document;
  /** The last event that changed it. */
  readonly position: Position;
}

/**
 * `document: null` deletes. A write at or below the position of the stored document, or of its
 * deletion in the last minute, is dropped: a repeat that comes late changes nothing.
 */
export interface DocumentWrite {
  readonly collection: CollectionName;
  readonly key: string;
  /** JSON without bigints; at most 16 MiB of it, MongoDB's limit. */
  readonly document: object | null;
  /** 0n to 2^63 - 1. */
  readonly position: Position;
}

/** One step of a reader of the log: its documents and its place, saved together. */
export interface ReadStoreCommit {
  /** Applied in order. */
  readonly writes: readonly DocumentWrite[];
  /** Left out by a cache, which has no place in the log. It never moves back. */
  readonly checkpoint?: {
    /** Malformed as a key would be: `invalid-key`. */
    readonly name: string;
    readonly position: Position;
    /**
     * The token of the lease under which the reader runs, 0n to 2^63 - 1; the highest one is kept
     * with the checkpoint until that is dropped. A commit with a lower one is rejected as
     * `fenced-off` before a document is written: its writer has lost the lease and does not know
     * it. One without a token is not compared, and leaves the token as it is. Where the store has
     * no transactions, a commit that is under way when a higher token is saved may still land; its
     * documents are guarded by their positions.
     */
    readonly fence?: bigint;
    /**
     * Identifies the last event that the reader has handled, 1 to 512 bytes; without it the stored
     * one stays. By it a later process recognises the log (`checkpoints`).
     */
    readonly event?: string;
  };
}

/** Where a reader of the log stopped. */
export interface Checkpoint {
  readonly name: string;
  readonly position: Position;
  /** As it was committed; null where none was. */
  readonly event: string | null;
}

/** Conditions are joined by "and". */
export interface ListOptions {
  /** Only keys that start so; default all. */
  readonly prefix?: string;
  /** Only keys at or after this one (bytewise). */
  readonly from?: string;
  /** Only keys before this one (bytewise). */
  readonly before?: string;
  /** Default `forwards`. */
  readonly direction?: 'forwards' | 'backwards';
  /** 1 to 10,000; default 1,000. */
  readonly limit?: number;
  /** How many to pass over first; default 0. Each one passed over costs a read. */
  readonly offset?: number;
}

export interface ReadStore {
  /** A copy of the caller's own. */
  get<Document extends object>(
    collection: CollectionName,
    key: string,
  ): Promise<StoredDocument<Document> | undefined>;

  /** In the order of keys, backwards if asked; a collection that never was is empty. */
  list<Document extends object>(
    collection: CollectionName,
    options?: ListOptions,
  ): Promise<readonly StoredDocument<Document>[]>;

  /** Documents whose key starts with the prefix; costs a read of each. */
  count(collection: CollectionName, prefix?: string): Promise<number>;

  /**
   * Saves documents and checkpoint in one write where the store can, and otherwise guards each
   * document by its position and saves the checkpoint last, so that repeating a commit changes
   * nothing. Checked whole before anything is written. What it saved is seen by every read that
   * starts after it resolves, in every process.
   */
  commit(commit: ReadStoreCommit): Promise<void>;

  /** Where a reader of the log stopped, or undefined for one that never ran. */
  checkpoint(name: string): Promise<Position | undefined>;

  /** Every checkpoint, in no order: are they of the log that this process reads? */
  checkpoints(): Promise<readonly Checkpoint[]>;

  /** Forgets a collection with its deletions, and a checkpoint, for a rebuild from zero. */
  drop(collection: CollectionName, checkpoint: string): Promise<void>;

  /** Everything afterwards is rejected as `store-unavailable`; closing twice is allowed. */
  close(): Promise<void>;
}
