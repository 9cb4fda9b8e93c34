import { type Collection } from 'mongodb';
import { duplicatesIn, isDuplicateKey } from '#platform/mongodb/mongo-failure.js';
import { ReadStoreError } from '../read-store.errors.js';
import { type DocumentRow } from './document-row.js';

/** Rows of one insert: a command has a hundred thousand at most, and 48 MB. */
const ROWS_PER_INSERT = 1_000;
/** UTF-16 units of JSON in one insert; a row that has more goes alone. */
const UNITS_PER_INSERT = 4 * 1_048_576;

/**
 * For each update. FerretDB walks through the collection for every update, a tenth of a second for
 * ten thousand rows, so that a command with more rows would not end within the time-out of its
 * client; MongoDB gains little from more.
 */
const ROWS_PER_UPDATE = 10;

/** Each attempt but the first means that another process changed a document meanwhile. */
const ATTEMPTS_MAX = 20;

/**
 * Writes each row if it is newer than the stored one. The keys are different ones, so that the
 * order of the writes means nothing. Most rows are new, and an insert is the cheapest command that
 * guards them: an update that finds no row costs FerretDB a walk through the whole collection.
 */
export const writeGuarded = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<void> => {
  const there: DocumentRow[] = [];
  for (const batch of insertsOf(rows)) there.push(...(await insertNew(collection, batch)));
  for (let from = 0; from < there.length; from += ROWS_PER_UPDATE) {
    await writeBatch(collection, there.slice(from, from + ROWS_PER_UPDATE));
  }
};

function* insertsOf(rows: readonly DocumentRow[]): Generator<readonly DocumentRow[], void> {
  let batch: DocumentRow[] = [];
  let units = 0;
  for (const row of rows) {
    const its = unitsOf(row);
    if (batch.length === ROWS_PER_INSERT || (batch.length > 0 && units + its > UNITS_PER_INSERT)) {
      yield batch;
      batch = [];
      units = 0;
    }
    batch.push(row);
    units += its;
  }
  if (batch.length > 0) yield batch;
}

const unitsOf = (row: DocumentRow): number => {
  if ('json' in row) return row.json.length;
  return 'gzip' in row ? row.gzip.length() : 0;
};

/** @returns the rows whose keys are taken */
const insertNew = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<readonly DocumentRow[]> => {
  try {
    await collection.insertMany(rows, { ordered: false });
    return [];
  } catch (error) {
    const taken = duplicatesIn(error);
    if (taken === null) throw error;
    return taken.flatMap((index) => rows[index] ?? []);
  }
};

const writeBatch = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<void> => {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const newer = await newerThanStored(collection, rows);
    if (newer.length === 0 || (await tryBatch(collection, newer))) return;
  }
  const detail = `${collection.collectionName} is written to by too many at once`;
  throw new ReadStoreError('store-unavailable', detail);
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
 * A key that is taken has two meanings: the stored document is older, or it is not, as after a
 * commit that was cut short and is repeated. Its position tells which. An update would find no row
 * then, and a thousand of them never end within the time-out of FerretDB's client. FerretDB finds a
 * row by its key alone without a walk through the collection, and ten keys at once with one.
 */
const newerThanStored = async (
  collection: Collection<DocumentRow>,
  rows: readonly DocumentRow[],
): Promise<readonly DocumentRow[]> => {
  const isNewer = await Promise.all(
    rows.map(async ({ _id, position }) => {
      const stored = await collection.findOne({ _id }, { projection: { position: 1 } });
      return position > (stored?.position ?? -1n);
    }),
  );
  return rows.filter((_, index) => isNewer[index]);
};
