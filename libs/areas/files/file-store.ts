import { type FilePurpose } from '#events/files/file.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type BlobRange, type BlobRef, type StoredBlob } from '#platform/blobs/blobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';

/** A file of an account. */
export interface StoredFile {
  readonly fileId: string;
  readonly accountId: string;
  readonly userId: UserId;
  readonly purpose: FilePurpose;
  readonly name: string;
  readonly bytes: number;
  /** Retain it under a holder of your own to keep the content of a file that is deleted. */
  readonly blob: BlobRef;
  readonly createdAt: string;
  /** Null: the file stays until it is deleted. */
  readonly expiresAt: string | null;
}

export interface NewFile {
  readonly accountId: string;
  readonly purpose: FilePurpose;
  readonly name: string;
  /** From its creation on; null: until it is deleted. */
  readonly expiresAfterSeconds: number | null;
}

/** Content that is stored, and belongs to no file yet: a sweep removes it after a day. */
export interface StagedContent {
  readonly userId: UserId;
  readonly blob: StoredBlob;
}

/**
 * The files of accounts. The module of the area exports it, and the bindings of other areas bind
 * their ports to it.
 */
export abstract class FileStore {
  /** @throws DomainError `file_not_found`, also for the file of another account */
  abstract find(fileId: string, reader: Reader): Promise<StoredFile>;

  /**
   * The content of a file that was found. Reading fails before the last piece if the content is
   * damaged.
   * @throws DomainError `file_not_found`; BlobError
   */
  abstract open(file: StoredFile, range?: BlobRange): Promise<AsyncIterable<Uint8Array>>;

  /**
   * Stores content in bounded memory, sealed with the key of the user.
   * @param purpose undefined: not known yet
   * @param bytesLeft of the account; default: any number
   * @throws DomainError `file_too_large`; an error of the content
   */
  abstract stage(
    content: AsyncIterable<Uint8Array>,
    userId: UserId,
    purpose?: FilePurpose,
    bytesLeft?: number,
  ): Promise<StagedContent>;

  /**
   * Creates a file of staged content of the same user. Its id derives from the request id of the
   * context: repeating a creation gives the first file, with the first content.
   * @throws DomainError `file_too_large` for this purpose
   */
  abstract create(
    file: NewFile,
    content: StagedContent,
    context: CommandContext,
  ): Promise<StoredFile>;

  /** @throws DomainError `file_not_found`, also for the file of another account */
  abstract delete(fileId: string, reader: Reader, context: CommandContext): Promise<void>;
}
