/**
 * Reads and writes safetensors: the length of a JSON header (64 bits, little-endian), the header
 * (name, type, shape and place of each tensor), then the values. Two types are used here: 32-bit
 * floats, and 8-bit integers for weights that are stored rounded.
 */
import { z } from 'zod';

export interface NamedTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export type NamedTensors = ReadonlyMap<string, NamedTensor>;

export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Int8Array;
}

export type StoredTensors = ReadonlyMap<string, StoredTensor>;

export class InvalidWeightsError extends Error {
  override readonly name = 'InvalidWeightsError';
}

const HEADER_BYTES_MAX = 1_000_000;
const ALIGNMENT = 8;

const Entry = z.strictObject({
  dtype: z.enum(['F32', 'I8']),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
const Metadata = z.record(z.string(), z.string());

/** Tensors are stored in the order of their names, so that equal weights are equal files. */
export const writeSafetensors = (tensors: StoredTensors): Buffer => {
  const sorted = [...tensors].sort(([one], [other]) => (one < other ? -1 : 1));
  let end = 0;
  const entries = sorted.map(([name, { shape, values }]) => {
    const start = end;
    end += values.byteLength;
    const dtype = values instanceof Int8Array ? 'I8' : 'F32';
    return [name, { dtype, shape: [...shape], data_offsets: [start, end] }] as const;
  });
  const json = JSON.stringify(Object.fromEntries(entries));
  const header = Buffer.from(json.padEnd(Math.ceil(json.length / ALIGNMENT) * ALIGNMENT));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const bodies = sorted.map(([, { values }]) =>
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
  );
  return Buffer.concat([length, header, ...bodies]);
};

const headerOf = (file: Buffer): { readonly json: unknown; readonly bodyAt: number } => {
  if (file.length < 8) throw new InvalidWeightsError('the file ends before its header');
  const length = file.readBigUInt64LE();
  if (length > HEADER_BYTES_MAX || 8n + length > BigInt(file.length)) {
    throw new InvalidWeightsError(`the file does not hold a header of ${length} bytes`);
  }
  const bodyAt = 8 + Number(length);
  try {
    return { json: JSON.parse(file.toString('utf8', 8, bodyAt)), bodyAt };
  } catch {
    throw new InvalidWeightsError('the header is not JSON');
  }
};

/** @throws InvalidWeightsError for a file that is cut, overlaps or holds another type */
export const readTensors = (file: Buffer): StoredTensors => {
  const { json, bodyAt } = headerOf(file);
  const header = z.record(z.string(), z.unknown()).safeParse(json);
  if (!header.success) throw new InvalidWeightsError('the header is no object');
  const { __metadata__: metadata, ...entries } = header.data;
  if (!Metadata.optional().safeParse(metadata).success) {
    throw new InvalidWeightsError('the metadata are not strings');
  }
  let end = 0;
  const places = Object.entries(entries)
    .map(([name, value]) => {
      const entry = Entry.safeParse(value);
      if (!entry.success)
        throw new InvalidWeightsError(`${name} is not a tensor of type F32 or I8`);
      return { name, ...entry.data };
    })
    .sort((one, other) => one.data_offsets[0] - other.data_offsets[0]);
  const tensors = places.map(({ name, dtype, shape, data_offsets: [from, to] }) => {
    const size = shape.reduce((product, side) => product * side, 1);
    const bytes = (dtype === 'I8' ? 1 : 4) * size;
    if (from !== end || to - from !== bytes || bodyAt + to > file.length) {
      throw new InvalidWeightsError(`${name} does not lie where its shape needs it`);
    }
    end = to;
    const values = dtype === 'I8' ? new Int8Array(size) : new Float32Array(size);
    Buffer.from(values.buffer).set(file.subarray(bodyAt + from, bodyAt + to));
    return [name, { shape, values }] as const;
  });
  if (bodyAt + end !== file.length) throw new InvalidWeightsError('bytes follow the last tensor');
  return new Map(tensors);
};

/** @throws InvalidWeightsError as `readTensors` does, and for 8-bit integers */
export const readSafetensors = (file: Buffer): NamedTensors =>
  new Map(
    [...readTensors(file)].map(([name, { shape, values }]) => {
      if (values instanceof Float32Array) return [name, { shape, values }];
      throw new InvalidWeightsError(`${name} is not a tensor of type F32`);
    }),
  );
