import { type ByteReader } from '../binary/byte-reader.js';
import { type ByteWriter } from '../binary/byte-writer.js';
import { malformed, reject } from '../wasm.errors.js';

const HAS_MAX = 1;
const SHARED = 2;
const IS_64 = 4;
const HAS_PAGE_SIZE = 8;

/** The size of a memory in pages, or of a table in elements. */
export interface Limits {
  readonly is64: boolean;
  readonly min: number;
  /** Null where the module sets none. */
  readonly max: number | null;
}

/** @throws WasmError for a shared memory and for pages of another size */
export const readLimits = (reader: ByteReader): Limits => {
  const flags = reader.byte();
  if (flags >= HAS_PAGE_SIZE * 2) malformed(`0x${flags.toString(16)} are no limits`);
  if (flags & SHARED) reject('a shared memory is not supported');
  if (flags & HAS_PAGE_SIZE) reject('pages of another size are not supported');
  const min = reader.u64();
  const max = flags & HAS_MAX ? reader.u64() : null;
  return { is64: (flags & IS_64) !== 0, min, max };
};

/** Writes the limits with a maximum of at most `maxMax`. */
export const writeLimits = (writer: ByteWriter, limits: Limits, maxMax: number): void => {
  const max = limits.max === null ? maxMax : Math.min(limits.max, maxMax);
  writer.byte(HAS_MAX | (limits.is64 ? IS_64 : 0));
  writer.unsigned(limits.min).unsigned(max);
};
