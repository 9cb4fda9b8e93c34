/** The files of accounts and their quota, which another area keeps. */
export abstract class UploadedFiles {
  /** Null for a file that the account does not have. */
  abstract read(
    accountId: string,
    fileId: string,
    bytesMax: number,
  ): Promise<Uint8Array | 'too_large' | null>;

  /** The bytes that the account may still store. @throws DomainError `file_storage_full` */
  abstract bytesLeft(accountId: string): Promise<number>;
}
