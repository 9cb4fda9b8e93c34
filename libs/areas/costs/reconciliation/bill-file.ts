import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import {
  BadCellError,
  BILL_FORMATS,
  type BilledItem,
  type BillFormat,
  type BillRow,
  columnOf,
} from './bill-format.js';

export const BILL_BYTES_MAX = 256 * 1024 * 1024;
/** Sums by day and model. */
export const BILL_SUMS_MAX = 100_000;
const RECORD_BYTES_MAX = 65_536;

/** A file that is no export of a known provider. */
export class BillFileError extends Error {
  override readonly name = 'BillFileError';
}

export interface Bill {
  readonly format: string;
  readonly rows: number;
  /** One for each day and model, in the order of the file. */
  readonly items: readonly BilledItem[];
}

/**
 * Reads a provider's export as a stream, and sums its rows by day and model.
 * @param onRead the bytes that were read, and the size of the file
 * @throws BillFileError; errors of the file system
 */
export const readBill = async (
  file: string,
  signal?: AbortSignal,
  onRead: (bytes: number, size: number) => void = () => undefined,
): Promise<Bill> => {
  const { size } = await stat(file);
  if (size > BILL_BYTES_MAX) throw new BillFileError(`is larger than ${BILL_BYTES_MAX} bytes`);
  const sums = new Map<string, BilledItem>();
  const found: { format?: BillFormat; rows: number } = { rows: 0 };
  const parser = parse({
    bom: true,
    columns: (header: readonly string[]) => {
      const columns = header.map(columnOf);
      found.format = formatOf(columns);
      return columns;
    },
    max_record_size: RECORD_BYTES_MAX,
    skip_empty_lines: true,
  });
  const bytes = createReadStream(file);
  bytes.on('data', () => onRead(bytes.bytesRead, size));
  try {
    await pipeline(
      bytes,
      parser,
      async (rows: AsyncIterable<BillRow>) => {
        for await (const row of rows) {
          found.rows += 1;
          const item = found.format && readRow(found.format, row, found.rows);
          if (item) add(sums, item);
        }
      },
      { signal },
    );
  } catch (error) {
    if (error instanceof CsvError) throw new BillFileError(error.message, { cause: error });
    throw error;
  }
  if (!found.format) throw new BillFileError('is empty');
  return { format: found.format.name, rows: found.rows, items: [...sums.values()] };
};

/** @throws BillFileError that names the columns which are missing */
const formatOf = (columns: readonly string[]): BillFormat => {
  const isThere = (name: string): boolean => columns.includes(name);
  const format = BILL_FORMATS.find(({ marks }) => marks.every(isThere));
  if (!format) {
    const known = BILL_FORMATS.map(({ name, marks }) => `${name} (${marks.join(', ')})`);
    throw new BillFileError(`has the columns of no known export: ${known.join('; ')}`);
  }
  const missing = format.columns.filter((name) => !isThere(name));
  if (missing.length === 0) return format;
  throw new BillFileError(`is an export of ${format.name} without ${missing.join(', ')}`);
};

const readRow = (format: BillFormat, row: BillRow, number: number): BilledItem | null => {
  try {
    return format.read(row);
  } catch (error) {
    if (!(error instanceof BadCellError)) throw error;
    throw new BillFileError(`row ${number}: ${error.message}`, { cause: error });
  }
};

const add = (sums: Map<string, BilledItem>, item: BilledItem): void => {
  const key = `${item.day} ${item.model}`;
  const was = sums.get(key);
  if (!was && sums.size >= BILL_SUMS_MAX) {
    throw new BillFileError(`has more than ${BILL_SUMS_MAX} days and models`);
  }
  sums.set(key, was ? plus(was, item) : item);
};

const plus = (one: BilledItem, other: BilledItem): BilledItem => ({
  ...one,
  picoUsd: one.picoUsd === null ? null : one.picoUsd + (other.picoUsd ?? 0n),
  inputTokens: one.inputTokens === null ? null : one.inputTokens + (other.inputTokens ?? 0),
  outputTokens: one.outputTokens === null ? null : one.outputTokens + (other.outputTokens ?? 0),
});
