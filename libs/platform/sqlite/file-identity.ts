import { type DatabaseSync } from 'node:sqlite';

/** The marks of a SQLite file of Quipu. */
export interface SqliteFileFormat {
  /** Four ASCII characters as a 32-bit integer, not 0: `PRAGMA application_id`. */
  readonly applicationId: number;
  /** The schema version that this build writes: `PRAGMA user_version`. */
  readonly version: number;
}

/** The file has another format, or a version that this build cannot read. */
export class UnknownSqliteFileError extends Error {
  override readonly name = 'UnknownSqliteFileError';

  constructor(
    readonly file: string,
    /** Follows the file name in a message. */
    readonly reason: string,
  ) {
    super(`${file} ${reason}`);
  }
}

interface Header {
  readonly objects: number;
  readonly applicationId: number;
  readonly version: number;
}

/** One statement, so one snapshot: another process may be creating the schema. */
const HEADER = `
  SELECT (SELECT count(*) FROM sqlite_schema) AS objects,
         application_id AS applicationId, user_version AS version
    FROM pragma_application_id, pragma_user_version`;

/**
 * Identifies the file without writing to it. A file that belongs to another program stays as it is.
 * @returns the version of its schema, or null for an empty file
 * @throws UnknownSqliteFileError
 */
export const identifySqliteFile = (
  database: DatabaseSync,
  file: string,
  { applicationId, version }: SqliteFileFormat,
): number | null => {
  const header = database.prepare(HEADER).get() as unknown as Header;
  if (header.objects === 0 && header.applicationId === 0 && header.version === 0) return null;
  if (header.applicationId !== applicationId) {
    throw new UnknownSqliteFileError(file, 'belongs to another program');
  }
  if (header.version !== version) {
    const reason = `has version ${header.version}, this build reads ${version}`;
    throw new UnknownSqliteFileError(file, reason);
  }
  return header.version;
};

/** The statements that mark a file; to be executed in the transaction that creates its schema. */
export const markSqliteFile = ({ applicationId, version }: SqliteFileFormat): string =>
  `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version};`;
