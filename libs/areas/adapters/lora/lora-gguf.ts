/**
 * Writes an adapter as llama.cpp reads it: GGUF, version 3, of the type `adapter`, with the names
 * of its `convert_lora_to_gguf.py`. Equal adapters are equal files.
 */
import { type BaseModel } from '../base-models.port.js';
import { ggufNameOf, type LoraAdapter, type LoraPair } from './lora-adapter.js';

const MAGIC = 0x46554747;
const VERSION = 3;
const ALIGNMENT = 32;
const TYPES = { float: 6, text: 8 } as const;
/** 16-bit matrices would round what they are multiplied with, too. */
const FLOAT_32 = 0;

interface Tensor {
  readonly name: string;
  /** The length of a row first. */
  readonly dimensions: readonly [number, number];
  readonly values: Float32Array;
}

export const writeLoraGguf = (
  { alpha, pairs }: LoraAdapter,
  base: Pick<BaseModel, 'heads' | 'keyValueHeads'>,
): Buffer => {
  const tensors = pairs.flatMap((pair) => tensorsOf(pair, base));
  let offset = 0;
  const infos = tensors.map(({ name, dimensions, values }) => {
    const info = [text(name), u32(2), ...dimensions.map(u64), u32(FLOAT_32), u64(offset)];
    offset += aligned(values.byteLength);
    return Buffer.concat(info);
  });
  const entries = [
    entry('general.type', 'adapter'),
    entry('general.architecture', 'llama'),
    entry('adapter.type', 'lora'),
    Buffer.concat([text('adapter.lora.alpha'), u32(TYPES.float), f32(alpha)]),
  ];
  const counts = [u32(MAGIC), u32(VERSION), u64(tensors.length), u64(entries.length)];
  const data = tensors.map(({ values }) =>
    padded(Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  return Buffer.concat([padded(Buffer.concat([...counts, ...entries, ...infos])), ...data]);
};

const tensorsOf = (
  { layer, target, a, b, inputs, outputs }: LoraPair,
  { heads, keyValueHeads }: Pick<BaseModel, 'heads' | 'keyValueHeads'>,
): readonly Tensor[] => {
  const rank = a.length / inputs;
  const name = `${ggufNameOf(layer, target)}.weight`;
  const headsOf: Partial<Record<typeof target, number>> = { q_proj: heads, k_proj: keyValueHeads };
  const count = headsOf[target];
  const rows = count === undefined ? b : reordered(b, rank, outputs / count);
  return [
    { name: `${name}.lora_a`, dimensions: [inputs, rank], values: a },
    { name: `${name}.lora_b`, dimensions: [rank, outputs], values: rows },
  ];
};

/**
 * Hugging Face rotates the first half of a head against the second; llama.cpp rotates neighbours.
 * So row `half * height / 2 + i` of a head becomes its row `2 i + half`, as in the model's file.
 */
const reordered = (values: Float32Array, columns: number, height: number): Float32Array => {
  const moved = new Float32Array(values.length);
  const half = height / 2;
  for (let row = 0; row < values.length / columns; row += 1) {
    const inHead = row % height;
    const to = row - inHead + 2 * (inHead % half) + Math.floor(inHead / half);
    moved.set(values.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return moved;
};

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const f32 = (value: number): Buffer => Buffer.from(Float32Array.of(value).buffer);
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
};
const entry = (key: string, value: string): Buffer =>
  Buffer.concat([text(key), u32(TYPES.text), text(value)]);

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
