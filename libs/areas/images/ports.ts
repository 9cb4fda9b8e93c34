/** The ports of pictures to other areas, in addition to the ledger. The composition binds them. */
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';

export interface NewImageFile {
  readonly accountId: string;
  readonly userId: UserId;
  readonly content: Uint8Array;
  readonly expiresAfterSeconds: number;
}

export interface StoredImageFile {
  readonly bytes: number;
  /** ISO 8601. */
  readonly expiresAt: string | null;
  content(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files behind the URLs of pictures. The class is the injection token. */
export abstract class ImageFiles {
  /** Sealed with the key of the user; the id follows from the request id of the context. */
  abstract create(file: NewImageFile, context: CommandContext): Promise<string>;
  /** Undefined for a file that is absent, has expired or belongs to another account. */
  abstract find(id: string, reader: Reader): Promise<StoredImageFile | undefined>;
}

/** The place of the log when a picture was made. */
export interface LogPlace {
  /** Leaves of the last published tree. */
  readonly size: number;
  /** In base64. */
  readonly root: string;
}

/** Signs the claims of pictures with the key of the transparency log. */
export abstract class ImageClaims {
  /** Null before the first checkpoint. */
  abstract place(): Promise<LogPlace | null>;
  /** The text with its signature, as a C2SP signed note. */
  abstract sign(text: string): string;
}
