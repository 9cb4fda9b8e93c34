/** The closed set of errors of backups. Any other error is a defect, or one of a store. */
export type BackupErrorCode =
  /** The folder of the backup exists, or the place of a store is not empty. */
  | 'target_exists'
  /** A folder is no backup, is an unfinished one, or one of another format. */
  | 'not_a_backup'
  /** A file is not as it was written, or a store does not pass its checks. */
  | 'backup_damaged'
  /** The settings name a server, or no place, for a store that the backup has. */
  | 'other_stores'
  /** The settings name servers only. */
  | 'nothing_to_back_up';

export class BackupError extends Error {
  override readonly name = 'BackupError';

  /** @param detail a sentence for the operator */
  constructor(
    readonly code: BackupErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}
