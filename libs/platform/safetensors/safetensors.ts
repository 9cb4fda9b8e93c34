/**
 * Reads and writes safetensors: the length of a JSON header (64 bits, little-endian), the header
 * (name, type, shape and place of each tensor), then the values. Floats are of 32 bits in memory,
 * whatever the file holds; 8-bit integers are for weights that are stored rounded.
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

/** With the type that the file holds it in. */
export type ReadTensors = ReadonlyMap<string, StoredTensor & { readonly type: StoredType }>;

/** Types of floats, by the names of the format. */
export type FloatType = 'F32' | 'F16' | 'BF16';
export type StoredType = FloatType | 'I8';

export class InvalidWeightsError extends Error {
  override readonly name = 'InvalidWeightsError';
}

const HEADER_BYTES_MAX = 1_000_000;
const ALIGNMENT = 8;

const BYTES: Readonly<Record<StoredType, number>> = { F32: 4, F16: 2, BF16: 2, I8: 1 };

const Entry = z.strictObject({
  dtype: z.string(),
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

/** A copy of stored floats, in 32 bits. */
export const floatsOf = (bytes: Uint8Array, type: FloatType): Float32Array<ArrayBuffer> => {
  const own = new Uint8Array(bytes).buffer;
  switch (type) {
    case 'F32':
      return new Float32Array(own);
    case 'F16':
      return new Float32Array(new Float16Array(own));
    case 'BF16':
      // The upper half of a 32-bit float.
      return new Float32Array(Uint32Array.from(new Uint16Array(own), (half) => half << 16).buffer);
  }
};

const valuesOf = (bytes: Buffer, type: StoredType): Float32Array | Int8Array =>
  type === 'I8' ? new Int8Array(new Uint8Array(bytes).buffer) : floatsOf(bytes, type);

/**
 * @param allowed types that the file may hold
 * @throws InvalidWeightsError for a file that is cut, overlaps or holds another type
 */
export const readTensors = (
  file: Buffer,
  allowed: readonly StoredType[] = ['F32', 'I8'],
): ReadTensors => {
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
      const type = allowed.find((one) => one === entry.data?.dtype);
      if (!entry.success || type === undefined) {
        throw new InvalidWeightsError(`${name} is not a tensor of type ${allowed.join(' or ')}`);
      }
      return { name, type, ...entry.data };
    })
    .sort((one, other) => one.data_offsets[0] - other.data_offsets[0]);
  const tensors = places.map(({ name, type, shape, data_offsets: [from, to] }) => {
    const bytes = BYTES[type] * shape.reduce((product, size) => product * size, 1);
    if (from !== end || to - from !== bytes || bodyAt + to > file.length) {
      throw new InvalidWeightsError(`${name} does not lie where its shape needs it`);
    }
    end = to;
    return [
      name,
      { shape, type, values: valuesOf(file.subarray(bodyAt + from, bodyAt + to), type) },
    ] as const;
  });
  if (bodyAt + end !== file.length) throw new InvalidWeightsError('bytes follow the last tensor');
  return new Map(tensors);
};

/** @throws InvalidWeightsError as `readTensors` does, and for integers */
export const readSafetensors = (
  file: Buffer,
  allowed: readonly FloatType[] = ['F32'],
): NamedTensors =>
  new Map(
    [...readTensors(file, allowed)].map(([name, { shape, values }]) => {
      if (values instanceof Float32Array) return [name, { shape, values }];
      throw new InvalidWeightsError(`${name} is not a tensor of floats`);
    }),
  );
