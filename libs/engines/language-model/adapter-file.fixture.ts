/** Adapter files made of seeded numbers, and the same matrices added to a model's own weights. */
import { parseGgufHeader } from './gguf.header.js';

export interface AdapterMatrices {
  readonly rank: number;
  readonly alpha: number;
  /** By the name of the weight in the model's file; all of them are square. */
  readonly weights: readonly {
    readonly name: string;
    readonly width: number;
    /** Another rank of the first matrix, which no loader takes. */
    readonly rankOfA?: number;
    /** `rank` rows of `width`. */
    readonly a: Float32Array;
    /** `width` rows of `rank`. */
    readonly b: Float32Array;
  }[];
}

const STEP = 1_664_525;
const OFFSET = 1_013_904_223;

/** Numbers from -amplitude to amplitude; the same seed gives the same ones. */
const seeded = (seed: number, amplitude: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, STEP) + OFFSET) >>> 0;
    return (state / 2 ** 31 - 1) * amplitude;
  };
};

/** On the queries and values of nano's layers, strong enough to change what it says. */
export const seededAdapter = (seed: number, { width = 128, amplitude = 0.4 } = {}) => {
  const rank = 4;
  const draw = seeded(seed, amplitude);
  const matrix = (): Float32Array => Float32Array.from({ length: width * rank }, draw);
  const names = [0, 1, 2, 3].flatMap((layer) => [`blk.${layer}.attn_q`, `blk.${layer}.attn_v`]);
  const weights = names.map((name) => ({
    name: `${name}.weight`,
    width,
    a: matrix(),
    b: matrix(),
  }));
  return { rank, alpha: 8, weights } satisfies AdapterMatrices;
};

const ALIGNMENT_BYTES = 32;
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes,
    Buffer.alloc(Math.ceil(bytes.length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES - bytes.length),
  ]);

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const f32 = (value: number): Buffer => Buffer.from(Float32Array.of(value).buffer);
const text = (value: string): Buffer =>
  Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const STRING = 8;
const FLOAT = 6;

/** The bytes of a GGUF file (version 3) of the type `adapter`, in 32-bit floats. */
export const adapterFile = ({ rank, alpha, weights }: AdapterMatrices): Buffer => {
  const entries = [
    [text('general.type'), u32(STRING), text('adapter')],
    [text('general.architecture'), u32(STRING), text('llama')],
    [text('adapter.type'), u32(STRING), text('lora')],
    [text('adapter.lora.alpha'), u32(FLOAT), f32(alpha)],
  ].flat();
  const tensors = weights.flatMap(({ name, width, rankOfA = rank, a, b }) => [
    { name: `${name}.lora_a`, dimensions: [width, rankOfA], values: a },
    { name: `${name}.lora_b`, dimensions: [rank, width], values: b },
  ]);
  const data = tensors.map(({ values }) => padded(Buffer.from(values.buffer)));
  let offset = 0;
  const infos = tensors.flatMap(({ name, dimensions }, index) => {
    const info = [text(name), u32(dimensions.length), ...dimensions.map(u64), u32(0), u64(offset)];
    offset += data[index]?.length ?? 0;
    return info;
  });
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(4), ...entries, ...infos];
  return Buffer.concat([padded(Buffer.concat(head)), ...data]);
};

/** A model's file with the adapter added to its weights: W + scale * alpha / rank * B A. */
export const mergedModel = (
  model: Buffer,
  { rank, alpha, weights }: AdapterMatrices,
  scale: number,
): Buffer => {
  const merged = Buffer.from(model);
  const { tensors, dataStart } = parseGgufHeader(model);
  for (const { name, width, a, b } of weights) {
    const tensor = tensors.find((one) => one.name === name);
    if (tensor === undefined) throw new RangeError(`the model has no ${name}`);
    const start = dataStart + tensor.offset;
    for (let row = 0; row < width; row += 1) {
      for (let column = 0; column < width; column += 1) {
        let sum = 0;
        for (let at = 0; at < rank; at += 1) {
          sum += (b[row * rank + at] ?? NaN) * (a[at * width + column] ?? NaN);
        }
        const byte = start + 4 * (row * width + column);
        merged.writeFloatLE(merged.readFloatLE(byte) + scale * (alpha / rank) * sum, byte);
      }
    }
  }
  return merged;
};
