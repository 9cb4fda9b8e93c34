import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary } from 'mongodb';
import { type EncodedWrite } from '../read-store.checks.js';
import { type StoredDocument } from '../read-store.port.js';

/**
 * A document at rest: its JSON as text, or compressed where it is large, or where it was deleted.
 * See decisions/0001.
 */
export type DocumentRow = TextRow | CompressedRow | DeletedRow;

interface TextRow extends Placed {
  readonly json: string;
}

interface CompressedRow extends Placed {
  /** Of the JSON in UTF-8. */
  readonly gzip: Binary;
}

interface DeletedRow extends Placed {
  readonly deletedAt: Date;
}

interface Placed {
  /** The key. MongoDB compares strings by their bytes where a collection names no collation. */
  readonly _id: string;
  /** As a 64-bit integer. */
  readonly position: bigint;
}

/** Above it JSON is compressed: 16 MiB of it would not fit beside its key into MongoDB's 16 MiB. */
const TEXT_LENGTH_MAX = 1024 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export const rowOf = async (
  { key, position, json }: EncodedWrite,
  nowMs: number,
): Promise<DocumentRow> => {
  if (json === null) return { _id: key, position, deletedAt: new Date(nowMs) };
  if (json.length <= TEXT_LENGTH_MAX) return { _id: key, position, json };
  return { _id: key, position, gzip: new Binary(await compress(json)) };
};

/** @returns undefined for a deletion */
export const documentOf = async <Document>(
  row: DocumentRow,
): Promise<StoredDocument<Document> | undefined> => {
  if ('deletedAt' in row) return undefined;
  const json = 'json' in row ? row.json : (await decompress(row.gzip.value())).toString('utf8');
  return { key: row._id, position: row.position, document: JSON.parse(json) as Document };
};
