/** The closed set of errors. Any other error of an adapter is a defect. */
export type ReadStoreErrorCode =
  | 'invalid-collection'
  | 'invalid-key'
  | 'invalid-position'
  | 'invalid-document'
  | 'invalid-options'
  | 'document-too-large'
  | 'invalid-fence'
  /** A holder of a later lease has written under this checkpoint. */
  | 'fenced-off'
  /** Its documents were made of another log, or of events that this log has no more. */
  | 'foreign-log'
  /** Closed, unreachable, read-only, out of space or busy for too long; trying again may help. */
  | 'store-unavailable'
  /**
   * Not a read store, damaged, or of a newer version: it can be deleted and rebuilt from the log.
   */
  | 'store-unreadable';

/** A rejected commit has saved nothing. */
export class ReadStoreError extends Error {
  override readonly name = 'ReadStoreError';

  /** @param detail a sentence for the operator; it may name collections, never documents */
  constructor(
    readonly code: ReadStoreErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${detail}`, options);
  }
}
