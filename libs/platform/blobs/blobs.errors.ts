/** The closed set of errors. Any other error of the blobs is a defect. */
export type BlobErrorCode =
  /** Never put, or collected since. */
  | 'blob-not-found'
  /** Stored bytes were changed, cut short, or belong to another blob or owner. */
  | 'blob-damaged'
  /** The key of its owner was erased. */
  | 'blob-erased'
  /** The source has more bytes than the caller or the store accepts. */
  | 'blob-too-large'
  | 'invalid-address'
  | 'invalid-holder'
  | 'invalid-range'
  /** A setting is wrong. */
  | 'invalid-options'
  /** Closed, unreachable, read-only or out of space; trying again may help. */
  | 'blobs-unavailable';

export class BlobError extends Error {
  override readonly name = 'BlobError';

  /** @param detail a sentence for the operator; it may name addresses, never content */
  constructor(
    readonly code: BlobErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}

/** Content that nothing can read any more: its owner was erased, or it is not kept. */
export const isBlobGone = (error: unknown): boolean =>
  error instanceof BlobError && (error.code === 'blob-not-found' || error.code === 'blob-erased');
