/** The published checkpoint of an installation's log. It cannot be rebuilt from the log. */

export interface PublishedCheckpoint {
  /** Of the tree. */
  readonly size: number;
  /** A signed note, with the cosignatures that came in since. */
  readonly note: string;
}

/** The checkpoint store does not answer; a retry may help. */
export class CheckpointStoreError extends Error {
  override readonly name = 'CheckpointStoreError';
}

/**
 * Remembers the last checkpoint that was published. It is no read model: without it a log that was
 * put back to an earlier state cannot be recognised. Injected by its class.
 */
export abstract class CheckpointStore {
  abstract last(): Promise<PublishedCheckpoint | undefined>;

  /**
   * Replaces a checkpoint by a larger one, or by the same one with further signatures. It is on the
   * disk when this resolves.
   * @param known what `last` returned
   * @returns false where another process has replaced it meanwhile
   */
  abstract replace(
    known: PublishedCheckpoint | undefined,
    next: PublishedCheckpoint,
  ): Promise<boolean>;

  abstract close(): Promise<void>;
}

/** @throws RangeError for a checkpoint that would shrink the tree */
export const demandGrowth = (
  known: PublishedCheckpoint | undefined,
  next: PublishedCheckpoint,
): void => {
  if (known && next.size < known.size) {
    throw new RangeError(`a checkpoint of ${next.size} leaves cannot follow one of ${known.size}`);
  }
};
