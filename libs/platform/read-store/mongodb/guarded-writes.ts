import { type Collection } from 'mongodb';
import { isDuplicateKey } from '#platform/mongodb/mongo-failure.js';
import { ReadStoreError } from '../read-store.errors.js';
import { type DocumentRow } from './document-row.js';

/**
 * For each command. FerretDB keeps one of its hundred connections to SQLite for every update until
 * the command ends, and waits for ever when they run out; MongoDB gains little from more.
 */
const ROWS_PER_COMMAND = 50;

/** Each attempt but the first means that another process changed a document meanwhile. */
const ATTEMPTS_MAX = 20;

/**
 * Puts each row where it is newer than what is stored. The keys are different ones, so that the
 * order of the writes means nothing.
 */
export const writeGuarded = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<void> => {
  for (let from = 0; from < rows.length; from += ROWS_PER_COMMAND) {
    await writeBatch(collection, rows.slice(from, from + ROWS_PER_COMMAND));
  }
};

const writeBatch = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<void> => {
  let left = rows;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    if (await tryBatch(collection, left)) return;
    if (attempt === ATTEMPTS_MAX) {
      const detail = `${collection.collectionName} is written to by too many at once`;
      throw new ReadStoreError('store-unavailable', detail);
    }
    left = await newerThanStored(collection, left);
  }
};

/** @returns whether every row was put or replaced an older one; if not, some may have been */
const tryBatch = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<boolean> => {
  const operations = rows.map(({ _id, ...replacement }) => ({
    replaceOne: {
      filter: { _id, position: { $lt: replacement.position } },
      replacement,
      upsert: true,
    },
  }));
  try {
    await collection.bulkWrite(operations, { ordered: false });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};

/**
 * A duplicate key has two meanings: the stored document is not older, or there was none and another
 * else was first to put one, perhaps an older one. Its position tells which.
 */
const newerThanStored = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<readonly DocumentRow[]> => {
  const keys = rows.map(({ _id }) => _id);
  const stored = await collection
    .find({ _id: { $in: keys } }, { projection: { position: 1 } })
    .toArray();
  const positions = new Map(stored.map(({ _id, position }) => [_id, position]));
  return rows.filter(({ _id, position }) => position > (positions.get(_id) ?? -1n));
};
