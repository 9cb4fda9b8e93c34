import { type DatabaseSync, type StatementSync } from 'node:sqlite';

/**
 * The bounds of a range, joined in SQL so that the walk starts at the tighter of the two. A blob
 * sorts after every text, so an empty blob means "no end".
 */
const RANGE = `
  documents.collection = (SELECT id FROM collections WHERE name = :collection)
  AND key >= max(:prefix, :from) AND key < min(:prefixEnd, :before)
  AND document IS NOT NULL`;

const list = (order: 'ASC' | 'DESC'): string => `
  SELECT key, position, document FROM documents WHERE ${RANGE}
  ORDER BY key ${order} LIMIT +:limit OFFSET +:offset`;

const SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  get: `SELECT key, position, document FROM documents
         WHERE documents.collection = (SELECT id FROM collections WHERE name = ?)
           AND key = ? AND document IS NOT NULL`,
  forwards: list('ASC'),
  backwards: list('DESC'),
  count: `SELECT count(*) AS count FROM documents WHERE ${RANGE}`,
  collection: 'SELECT id FROM collections WHERE name = ?',
  addCollection: 'INSERT INTO collections (name) VALUES (?) RETURNING id',
  write: `INSERT INTO documents (collection, key, position, document, deletedAtMs)
          VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (collection, key) DO UPDATE
          SET position = excluded.position, document = excluded.document,
              deletedAtMs = excluded.deletedAtMs
          WHERE excluded.position > documents.position`,
  checkpoint: 'SELECT position FROM checkpoints WHERE name = ?',
  checkpoints: 'SELECT name, position, event FROM checkpoints',
  sameCheckpoint: `SELECT 1 FROM checkpoints
                    WHERE name = ? AND position = ? AND event IS ?`,
  dropAll: 'INSERT INTO dropped (id) SELECT id FROM collections',
  clearCollections: 'DELETE FROM collections',
  clearCheckpoints: 'DELETE FROM checkpoints',
  fence: 'SELECT fence FROM checkpoints WHERE name = ?',
  setCheckpoint: `INSERT INTO checkpoints (name, position, fence, event) VALUES (?, ?, ?, ?)
                  ON CONFLICT (name) DO UPDATE
                  SET event = CASE WHEN excluded.position >= checkpoints.position
                                   THEN coalesce(excluded.event, checkpoints.event)
                                   ELSE checkpoints.event END,
                      position = max(checkpoints.position, excluded.position),
                      fence = coalesce(excluded.fence, checkpoints.fence)`,
  dropCollection: 'DELETE FROM collections WHERE name = ? RETURNING id',
  addDropped: 'INSERT INTO dropped (id) VALUES (?)',
  anyDropped: 'SELECT id FROM dropped LIMIT 1',
  dropCheckpoint: 'DELETE FROM checkpoints WHERE name = ?',
} as const;

export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

/** Prepared once; integers are read as bigints, since positions go to 2^63. */
export const prepareStatements = (database: DatabaseSync): Statements => {
  const entries = Object.entries(SQL).map(([name, sql]) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return [name, statement] as const;
  });
  return Object.fromEntries(entries) as Record<keyof typeof SQL, StatementSync>;
};
