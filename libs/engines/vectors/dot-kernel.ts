import { OP } from '../wasm/binary/instruction.js';
import { ByteWriter } from '../wasm/binary/byte-writer.js';

/**
 * Dot products in WebAssembly with 128-bit SIMD. A loop over `Float32Array` reaches about a tenth
 * of this rate (`test/bench/vectors.bench.ts`).
 */
export interface DotKernel {
  readonly memory: KernelMemory;
  /** Of the query with `count` rows behind each other. Addresses and the stride are in bytes. */
  scores(query: number, rows: number, count: number, stride: number, out: number): void;
  /** Of the query with the rows whose addresses are in a list. */
  gather(query: number, addresses: number, count: number, stride: number, out: number): void;
}

export interface KernelMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Of a row: a multiple of the floats that one round of the loop takes. */
export const strideOf = (dimensions: number): number =>
  Math.ceil(dimensions / FLOATS_PER_ROUND) * FLOATS_PER_ROUND * FLOAT_BYTES;

export const PAGE_BYTES = 65_536;
const PAGES_MAX = 65_536;
const FLOAT_BYTES = 4;
const LANE_BYTES = 16;
/** Sums that do not wait for each other. */
const SUMS = 4;
const FLOATS_PER_ROUND = (SUMS * LANE_BYTES) / FLOAT_BYTES;

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;
const I32_LOAD = 0x28;
const F32_STORE = 0x38;
const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const F32_ADD = 0x92;
const SIMD = {
  load: [0xfd, 0x00],
  const: [0xfd, 0x0c],
  extractLane: [0xfd, 0x1f],
  add: [0xfd, 0xe4, 0x01],
  mul: [0xfd, 0xe6, 0x01],
} as const;

/** The parameters of both functions, then their variables. */
const LOCAL = { query: 0, rows: 1, count: 2, stride: 3, out: 4, at: 5, row: 6, end: 7, sums: 8 };

const get = (local: number): readonly number[] => [OP.localGet, local];
const set = (local: number): readonly number[] => [OP.localSet, local];
const add = (local: number, value: number): readonly number[] => [
  ...get(local),
  OP.i32Const,
  ...new ByteWriter().signed(BigInt(value)).view(),
  I32_ADD,
  ...set(local),
];
const load = (local: number, offset: number): readonly number[] => [
  ...get(local),
  ...SIMD.load,
  0,
  offset,
];
const sum = (at: number): number => LOCAL.sums + at;
const sums = Array.from({ length: SUMS }, (_, at) => at);

/** One row: `out` gets its product with the query. */
const ROW: readonly number[] = [
  ...get(LOCAL.query),
  ...set(LOCAL.at),
  ...get(LOCAL.row),
  ...get(LOCAL.stride),
  I32_ADD,
  ...set(LOCAL.end),
  ...sums.flatMap((at) => [
    ...SIMD.const,
    ...Array.from({ length: LANE_BYTES }, () => 0),
    ...set(sum(at)),
  ]),
  ...[OP.loop, NO_RESULT],
  ...sums.flatMap((at) => [
    ...load(LOCAL.at, at * LANE_BYTES),
    ...load(LOCAL.row, at * LANE_BYTES),
    ...SIMD.mul,
    ...get(sum(at)),
    ...SIMD.add,
    ...set(sum(at)),
  ]),
  ...add(LOCAL.at, SUMS * LANE_BYTES),
  ...add(LOCAL.row, SUMS * LANE_BYTES),
  ...[...get(LOCAL.row), ...get(LOCAL.end), OP.i32Ne, OP.brIf, 0, OP.end],
  ...get(LOCAL.out),
  ...[...get(sum(0)), ...get(sum(1)), ...SIMD.add],
  ...[...get(sum(2)), ...get(sum(3)), ...SIMD.add],
  ...[...SIMD.add, ...set(sum(0))],
  ...[0, 1, 2, 3].flatMap((lane) => [
    ...get(sum(0)),
    ...SIMD.extractLane,
    lane,
    ...(lane === 0 ? [] : [F32_ADD]),
  ]),
  ...[F32_STORE, 2, 0],
  ...add(LOCAL.out, FLOAT_BYTES),
  ...[...get(LOCAL.count), OP.i32Const, 1, I32_SUB, OP.localTee, LOCAL.count, OP.brIf, 0],
];

/** Rows behind each other: the end of one is the start of the next. */
const SCORES: readonly number[] = [
  ...get(LOCAL.rows),
  ...set(LOCAL.row),
  ...[OP.loop, NO_RESULT, ...ROW, OP.end, OP.end],
];

const GATHER: readonly number[] = [
  ...[OP.loop, NO_RESULT],
  ...[...get(LOCAL.rows), I32_LOAD, 2, 0, ...set(LOCAL.row)],
  ...add(LOCAL.rows, FLOAT_BYTES),
  ...[...ROW, OP.end, OP.end],
];

const bodyOf = (code: readonly number[]): ByteWriter =>
  new ByteWriter().byte(2, 3, I32, SUMS, V128, ...code);

const section = (id: number, content: ByteWriter): ByteWriter =>
  new ByteWriter().byte(id).sized(content);

const moduleBytes = (): Uint8Array =>
  new ByteWriter()
    .byte(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00)
    .raw(section(1, new ByteWriter().byte(1, 0x60, 5, I32, I32, I32, I32, I32, 0)).view())
    .raw(section(3, new ByteWriter().byte(2, 0, 0)).view())
    .raw(section(5, new ByteWriter().byte(1, 1, 1).unsigned(PAGES_MAX)).view())
    .raw(
      section(
        7,
        new ByteWriter()
          .byte(3)
          .text('memory')
          .byte(2, 0)
          .text('scores')
          .byte(0, 0)
          .text('gather')
          .byte(0, 1),
      ).view(),
    )
    .raw(section(10, new ByteWriter().byte(2).sized(bodyOf(SCORES)).sized(bodyOf(GATHER))).view())
    .view();

let compiled: WebAssembly.Module | undefined;

/** A kernel with a memory of its own, of one page. */
export const createDotKernel = (): DotKernel => {
  compiled ??= new WebAssembly.Module(moduleBytes());
  return new WebAssembly.Instance(compiled, {}).exports as unknown as DotKernel;
};
