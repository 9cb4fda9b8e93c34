/** The files of accounts, which another area keeps. The class is the injection token. */
export abstract class TrainingFiles {
  /** Null for a file that the account does not have. */
  abstract read(
    accountId: string,
    fileId: string,
    bytesMax: number,
  ): Promise<{ readonly text: string } | 'too_large' | null>;
}
