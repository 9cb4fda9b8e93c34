/** Writes a GGUF file (version 3) with the metadata of another one and tensors of its own. */
import { type GgufHeader } from '../../language-model/gguf.header.js';
import { type CodedTensor } from '../model/coded-tensor.js';

const VERSION = 3;
const ALIGNMENT_BYTES = 32;
/** Value types of the container. */
const [UINT_32, TEXT] = [4, 8];

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
};

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;

const padding = (length: number): Buffer => Buffer.alloc(aligned(length) - length);

/** llama.cpp's numbers of files by the format of most of their weights. */
const FILE_TYPES: Readonly<Record<string, number>> = {
  F32: 0,
  Q4_0: 2,
  Q4_1: 3,
  Q8_0: 7,
  Q5_0: 8,
  Q5_1: 9,
  TQ2_0: 37,
};
/** Of the encoders of llama.cpp, whose blocks these are. */
const QUANTIZATION_VERSION = 2;

const fileTypeOf = (tensors: Iterable<CodedTensor>): number => {
  const weights = new Map<string, number>();
  for (const { format, restored } of tensors) {
    weights.set(format, (weights.get(format) ?? 0) + restored.length);
  }
  const [most] = [...weights].sort(([, one], [, other]) => other - one);
  return FILE_TYPES[most?.[0] ?? ''] ?? 0;
};

export interface FileSource {
  readonly header: GgufHeader;
  /** The file up to its tensors. */
  readonly start: Uint8Array;
}

/**
 * The parts of the file in their order. Every entry of the metadata is copied as it is, but for the
 * name and the type of the file.
 * @param tensors by their names, in the order of the source
 */
export const quantizedFile = (
  { header, start }: FileSource,
  name: string,
  tensors: ReadonlyMap<string, CodedTensor>,
): readonly Uint8Array[] => {
  const changed = new Map([
    ['general.name', Buffer.concat([u32(TEXT), text(name)])],
    ['general.file_type', Buffer.concat([u32(UINT_32), u32(fileTypeOf(tensors.values()))])],
    ['general.quantization_version', Buffer.concat([u32(UINT_32), u32(QUANTIZATION_VERSION)])],
    ['general.alignment', Buffer.concat([u32(UINT_32), u32(ALIGNMENT_BYTES)])],
  ]);
  const copied = [...header.entries].filter(([key]) => !changed.has(key));
  const entries = [
    ...copied.map(([, span]) => start.subarray(span.start, span.end)),
    ...[...changed].map(([key, value]) => Buffer.concat([text(key), value])),
  ];
  let offset = 0;
  const infos = header.tensors.map(({ name: tensor, dimensions }) => {
    const coded = tensors.get(tensor);
    if (coded === undefined) throw new RangeError(`the file has no ${tensor}`);
    const sides = [u32(dimensions.length), ...dimensions.map(u64)];
    const info = Buffer.concat([text(tensor), ...sides, u32(coded.type), u64(offset)]);
    offset += aligned(coded.bytes.length);
    return { info, bytes: coded.bytes };
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(VERSION),
    u64(infos.length),
    u64(entries.length),
    ...entries,
    ...infos.map(({ info }) => info),
  ]);
  const data = infos.flatMap(({ bytes }) => [bytes, padding(bytes.length)]);
  return [head, padding(head.length), ...data];
};
