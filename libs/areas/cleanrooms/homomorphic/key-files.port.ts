/** A file of the account, which may hold evaluation keys. */
export interface KeyFile {
  /** Of its content, and of its owner. */
  readonly address: string;
  readonly bytes: number;
  /** Null: until it is deleted. */
  readonly expiresAt: string | null;
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/** The files of accounts, which another area keeps. The class is the injection token. */
export abstract class KeyFiles {
  /** Undefined for a file that the account does not have, or no longer has. */
  abstract find(accountId: string, fileId: string): Promise<KeyFile | undefined>;
}
