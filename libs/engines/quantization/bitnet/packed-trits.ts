/**
 * Trits in two bits each. 128 trits of a row are a group of 32 bytes, in the order of llama.cpp's
 * TQ2_0: byte `m` has the trits `m`, `m + 32`, `m + 64` and `m + 96`, from the low bits on.
 */
export const GROUP_TRITS = 128;
export const GROUP_BYTES = 32;

export interface PackedTrits {
  readonly bytes: Uint8Array;
  readonly rows: number;
  /** Of one row, whose end is filled with zeros. */
  readonly groups: number;
}

const BYTE_OF_ZEROS = 0b01010101;

export const packTrits = (trits: Int8Array, width: number): PackedTrits => {
  const groups = Math.ceil(width / GROUP_TRITS);
  const rows = trits.length / width;
  const bytes = new Uint8Array(rows * groups * GROUP_BYTES).fill(BYTE_OF_ZEROS);
  for (let at = 0; at < trits.length; at += 1) {
    const column = at % width;
    const inGroup = column % GROUP_TRITS;
    const group = Math.floor(at / width) * groups + Math.floor(column / GROUP_TRITS);
    const place = group * GROUP_BYTES + (inGroup % GROUP_BYTES);
    const shift = 2 * Math.floor(inGroup / GROUP_BYTES);
    // The byte has ones for zeros, so adding the trit gives its code: 0, 1 or 2.
    bytes[place] = (bytes[place] ?? 0) + (trits[at] ?? 0) * (1 << shift);
  }
  return { bytes, rows, groups };
};

/** Rows of `width` values, filled with zeros up to whole groups. */
export const padRows = (values: Int8Array, width: number): Int8Array => {
  const padded = Math.ceil(width / GROUP_TRITS) * GROUP_TRITS;
  if (padded === width) return values;
  const rows = values.length / width;
  const result = new Int8Array(rows * padded);
  for (let row = 0; row < rows; row += 1) {
    result.set(values.subarray(row * width, (row + 1) * width), row * padded);
  }
  return result;
};
