import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** A file of the account. */
export interface BatchInputFile {
  readonly purpose: string;
  readonly bytes: number;
  /** Reads the file; each call from its start. */
  readonly content: () => Promise<AsyncIterable<Uint8Array>>;
}

export interface BatchOutputFile {
  readonly accountId: string;
  /** Whose key seals it. */
  readonly userId: UserId;
  readonly name: string;
  /** From its creation; null: it stays. */
  readonly expiresAfterSeconds: number | null;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The files of accounts, which another area keeps. The class is the injection token. */
export abstract class BatchFiles {
  /** Undefined for a file that the account does not have. */
  abstract find(accountId: string, fileId: string): Promise<BatchInputFile | undefined>;

  /**
   * Stores an output or error file and returns its id. A repetition with the same context is the
   * same file; null when the account has deleted that.
   */
  abstract create(file: BatchOutputFile, context: CommandContext): Promise<string | null>;
}
