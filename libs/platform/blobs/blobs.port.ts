import { BlobError } from './blobs.errors.js';

/**
 * Immutable content, named by its hash. Every adapter passes one suite (`blobs.contract.ts`).
 * Every error is a `BlobError`, or one of the subject keys where the owner's key is needed.
 */

/** 64 hex digits, lower case. */
export type BlobAddress = string;

/**
 * A blob as its user names it. Keep both: an address alone does not open a blob that has an owner.
 */
export interface BlobRef {
  readonly address: BlobAddress;
  /**
   * The subject whose key seals the blob; null: a key of the installation seals it. Owners share
   * nothing: equal content of two owners has two addresses and is stored twice.
   */
  readonly owner: string | null;
}

export interface StoredBlob extends BlobRef {
  /** Of the content. */
  readonly bytes: number;
}

export interface PutOptions {
  readonly owner: string | null;
  /** Default and maximum `BLOB_BYTES_MAX`. */
  readonly bytesMax?: number;
}

/** Bytes from `start` up to but excluding `end`; an `end` after the content means its end. */
export interface BlobRange {
  readonly start: number;
  /** Default: the end of the content. */
  readonly end?: number;
}

export interface OpenBlob {
  /** Of the whole content, whatever the range. */
  readonly bytes: number;
  /**
   * Read once, in pieces of 64 KiB at most. Each piece is verified before it is yielded. A whole
   * read verifies the address as well, before the last piece. Ending the iteration early releases
   * what it holds.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface SweepReport {
  readonly blobsKept: number;
  readonly blobsRemoved: number;
  /** Of removed blobs and uploads, as stored. */
  readonly bytesFreed: number;
}

/**
 * The blobs of an installation. Memory does not grow with the size of a blob.
 *
 * A blob is kept while a holder retains it, and for `BLOB_KEPT_MS` after its last put. A sweep
 * removes the others. So a user puts, records the address in its own durable state, and retains
 * within that time; a crash on the way leaves a blob that a later sweep collects.
 */
export abstract class Blobs {
  /**
   * Durable and readable when it resolves; nothing is visible before. Putting equal content again
   * gives the same address and starts `BLOB_KEPT_MS` again. An error of the source is thrown on.
   * @throws SubjectErasedError
   */
  abstract put(source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredBlob>;

  /**
   * @throws BlobError `blob-not-found`, `blob-erased` and `invalid-range` here; `blob-damaged`
   *   here, or from the content before its last piece
   */
  abstract open(ref: BlobRef, range?: BlobRange): Promise<OpenBlob>;

  /**
   * Records durably that the holder needs the blob. Repeating it changes nothing.
   * @param holder lower-case words, such as `file:file-0a1b`: a letter, then up to 127 of
   *   `a-z 0-9 : - _`
   * @throws BlobError `blob-not-found`; nothing is recorded then
   */
  abstract retain(ref: BlobRef, holder: string): Promise<void>;

  /**
   * Retains on behalf of a saga, which repeats what has failed: a blob that is gone is reported to
   * the operator instead, since no repetition brings it back.
   */
  async retainOrReport(ref: BlobRef, holder: string): Promise<void> {
    try {
      await this.retain(ref, holder);
    } catch (error) {
      if (!(error instanceof BlobError && error.code === 'blob-not-found')) throw error;
      this.reportMissing(ref.address, holder);
    }
  }

  protected abstract reportMissing(address: BlobAddress, holder: string): void;

  /** Removes that record; repeating it changes nothing. The blob stays until a sweep. */
  abstract release(ref: BlobRef, holder: string): Promise<void>;

  /** Removes unreferenced blobs. Several processes may sweep at the same time. */
  abstract sweep(): Promise<SweepReport>;

  /** Everything afterwards is rejected as `blobs-unavailable`; closing twice is allowed. */
  abstract close(): Promise<void>;
}

/** S3 copies an object of 5 GiB at most in one request; the rest is for the seals. */
export const BLOB_BYTES_MAX = 4 * 1_024 ** 3;

/** How long an unreferenced blob is kept after it was put. */
export const BLOB_KEPT_MS = 24 * 60 * 60 * 1_000;
