/** Writes GGUF (version 3): entries of metadata, then tensors in the formats of llama.cpp. */
import { type GgufHeader } from './gguf.header.js';

const VERSION = 3;
const ALIGNMENT_BYTES = 32;

/** Value type numbers of the container. */
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;

export type GgufValue =
  | { readonly type: 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] };

export const ggufValue = {
  u32: (value: number): GgufValue => ({ type: 'u32', value }),
  f32: (value: number): GgufValue => ({ type: 'f32', value }),
  text: (value: string): GgufValue => ({ type: 'string', value }),
};

const bytesOf = {
  u32: (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  },
  i32: (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes;
  },
  f32: (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return bytes;
  },
  u64: (value: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return bytes;
  },
  string: (value: string): Buffer => {
    const bytes = Buffer.from(value, 'utf8');
    return Buffer.concat([bytesOf.u64(bytes.length), bytes]);
  },
};

const encodeValue = (entry: GgufValue): Buffer => {
  switch (entry.type) {
    case 'u32':
    case 'i32':
    case 'f32':
      return Buffer.concat([bytesOf.u32(TYPE[entry.type]), bytesOf[entry.type](entry.value)]);
    case 'bool':
      return Buffer.concat([bytesOf.u32(TYPE.bool), Buffer.from([entry.value ? 1 : 0])]);
    case 'string':
      return Buffer.concat([bytesOf.u32(TYPE.string), bytesOf.string(entry.value)]);
    case 'strings':
    case 'i32s': {
      const element = entry.type === 'strings' ? TYPE.string : TYPE.i32;
      const head = [bytesOf.u32(TYPE.array), bytesOf.u32(element), bytesOf.u64(entry.value.length)];
      const items =
        entry.type === 'strings' ? entry.value.map(bytesOf.string) : entry.value.map(bytesOf.i32);
      return Buffer.concat([...head, ...items]);
    }
  }
};

/** An entry of the metadata, with its key. */
export const ggufEntry = (key: string, value: GgufValue): Uint8Array =>
  Buffer.concat([bytesOf.string(key), encodeValue(value)]);

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;

const padding = (length: number): Buffer => Buffer.alloc(aligned(length) - length);

export interface WrittenTensor {
  readonly name: string;
  /** In the file's own order: the length of a row first. */
  readonly dimensions: readonly number[];
  /** llama.cpp's number of the format. */
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** llama.cpp's numbers of files, by the number of the format of most of their weights. */
const FILE_TYPES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 1],
  [2, 2],
  [3, 3],
  [6, 8],
  [7, 9],
  [8, 7],
  [30, 32],
  [34, 36],
  [35, 37],
]);

export const fileTypeOf = (
  tensors: readonly Pick<WrittenTensor, 'type' | 'dimensions'>[],
): number => {
  const weights = new Map<number, number>();
  for (const { type, dimensions } of tensors) {
    const count = dimensions.reduce((product, side) => product * side, 1);
    weights.set(type, (weights.get(type) ?? 0) + count);
  }
  const [most] = [...weights].sort(([, one], [, other]) => other - one);
  return FILE_TYPES.get(most?.[0] ?? 0) ?? 0;
};

/** The parts of a file, in their order. */
export const ggufFile = (
  entries: readonly Uint8Array[],
  tensors: readonly WrittenTensor[],
): readonly Uint8Array[] => {
  let offset = 0;
  const infos = tensors.map(({ name, dimensions, type, bytes }) => {
    const sides = [bytesOf.u32(dimensions.length), ...dimensions.map(bytesOf.u64)];
    const place = [bytesOf.u32(type), bytesOf.u64(offset)];
    offset += aligned(bytes.length);
    return Buffer.concat([bytesOf.string(name), ...sides, ...place]);
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    bytesOf.u32(VERSION),
    bytesOf.u64(tensors.length),
    bytesOf.u64(entries.length),
    ...entries,
    ...infos,
  ]);
  const data = tensors.flatMap(({ bytes }) => [bytes, padding(bytes.length)]);
  return [head, padding(head.length), ...data];
};

/** A file whose metadata are copied. */
export interface FileSource {
  readonly header: GgufHeader;
  /** The file up to its tensors. */
  readonly start: Uint8Array;
}

/**
 * The parts of a file with the metadata of another one, but for the entries that change, and with
 * tensors of its own.
 */
export const rewrittenFile = (
  { header, start }: FileSource,
  changes: Readonly<Record<string, GgufValue>>,
  tensors: readonly WrittenTensor[],
): readonly Uint8Array[] => {
  const changed = {
    ...changes,
    'general.file_type': ggufValue.u32(fileTypeOf(tensors)),
    'general.alignment': ggufValue.u32(ALIGNMENT_BYTES),
  };
  const copied = [...header.entries].filter(([key]) => !(key in changed));
  const entries = [
    ...copied.map(([, span]) => start.subarray(span.start, span.end)),
    ...Object.entries(changed).map(([key, value]) => ggufEntry(key, value)),
  ];
  return ggufFile(entries, tensors);
};
