import { type StatementSync } from 'node:sqlite';

/** Bodies up to here are read with their page; a larger one is read when its turn comes. */
const PAGED_BODY_BYTES_MAX = 8_192;

/**
 * The rows of a page as one row: their bodies one after the other, and their other columns as JSON.
 * A call into SQLite and a blob of its own for each event would take five times as long.
 */
export const PAGE_COLUMNS = `
  CAST(group_concat(iif(octet_length(body) <= ${PAGED_BODY_BYTES_MAX}, body, x''), '') AS BLOB),
  json_group_array(
    json_array(position, stream_id, revision, type, recorded_at, octet_length(body)))`;

/**
 * SQLite plans by the value of a bare parameter, and compiles the statement again whenever that is
 * bound. The plus hides it: a short read then takes a fifth of the time.
 */
export const LIMIT = 'LIMIT +?';

/** As one row of `PAGE_COLUMNS`; the blob is null for a page without rows. */
export type PageRow = readonly [bodies: Uint8Array | null, columns: string];

export type PagedColumns = readonly [
  position: number,
  streamId: number,
  revision: number,
  type: number,
  recordedAtMs: number,
  bodyBytes: number,
];

/** A row of the log; its body lies in `bytes` from `at` up to `end`. */
export interface StoredRow {
  readonly position: number;
  readonly streamId: number;
  readonly revision: number;
  readonly type: number;
  readonly recordedAtMs: number;
  readonly bytes: Buffer;
  readonly at: number;
  readonly end: number;
}

/** The memory of a blob as a buffer: nothing is copied. */
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, length);

/**
 * The rows of a page of the log, in its order.
 * @param bodyAt gives the body of the event at a position
 */
export function* rowsOf(
  [bodies, columns]: PageRow,
  bodyAt: (position: number) => Buffer,
): Generator<StoredRow> {
  if (bodies === null) return;
  const page = bufferOf(bodies);
  let [at, last] = [0, 0];
  for (const row of JSON.parse(columns) as readonly PagedColumns[]) {
    const [position, streamId, revision, type, recordedAtMs, size] = row;
    // SQLite aggregates in the order of the rows, and does not promise it.
    if (position <= last) throw new Error(`position ${position} follows ${last}`);
    last = position;
    const isPaged = size <= PAGED_BODY_BYTES_MAX;
    const bytes = isPaged ? page : bodyAt(position);
    const from = isPaged ? at : 0;
    const end = from + size;
    if (isPaged) at = end;
    yield { position, streamId, revision, type, recordedAtMs, bytes, at: from, end };
  }
}

/** Gives the body of the event at a position, by a statement that selects it. */
export const bodyFrom =
  (statement: StatementSync) =>
  (position: number): Buffer => {
    const body = statement.get(position)?.['body'];
    if (!(body instanceof Uint8Array)) throw new Error(`position ${position} has no body`);
    return bufferOf(body);
  };
