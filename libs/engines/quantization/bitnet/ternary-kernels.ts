/**
 * Products of packed trits with 8-bit activations, in WebAssembly with 128-bit vectors. Two kernels
 * give the same integers: one multiplies, the other only masks, adds and subtracts.
 */
import { ByteWriter } from '../../wasm/binary/byte-writer.js';
import { GROUP_BYTES, GROUP_TRITS, type PackedTrits, padRows } from './packed-trits.js';

export type TernaryKernel = 'multiply' | 'add_subtract';

const I32 = 0x7f;
const V128 = 0x7b;
const [EMPTY, FUNCTION] = [0x40, 0x60];

const OP = {
  loop: 0x03,
  end: 0x0b,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Store: 0x36,
  i32Const: 0x41,
  i32LessUnsigned: 0x49,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
  i32ShiftLeft: 0x74,
} as const;

/** Behind the prefix of vector instructions. */
const VECTOR = {
  load: 0,
  constant: 12,
  i8x16Splat: 15,
  i32x4ExtractLane: 27,
  i8x16Equal: 35,
  and: 78,
  i16x8AddPairsOfBytes: 124,
  i32x4AddPairsOfWords: 126,
  i8x16Subtract: 113,
  i8x16ShiftRight: 109,
  i16x8Add: 142,
  i16x8MultiplyLow: 156,
  i16x8MultiplyHigh: 157,
  i32x4Add: 174,
} as const;

/** Locals of a kernel, the parameters first. */
const LOCAL = {
  weights: 0,
  rows: 1,
  rowBytes: 2,
  activations: 3,
  tokens: 4,
  result: 5,
  row: 6,
  token: 7,
  x: 8,
  w: 9,
  wEnd: 10,
  sum: 11,
  words: 12,
  codes: 13,
  trits: 14,
  values: 15,
} as const;
type Local = keyof typeof LOCAL;
const PARAMETERS = 6;
const INTEGERS = 11;

class Code extends ByteWriter {
  get(local: Local): this {
    return this.byte(OP.localGet, LOCAL[local]);
  }

  set(local: Local): this {
    return this.byte(OP.localSet, LOCAL[local]);
  }

  constant(value: number): this {
    return this.byte(OP.i32Const).signed(BigInt(value));
  }

  vector(operation: keyof typeof VECTOR): this {
    return this.byte(0xfd).unsigned(VECTOR[operation]);
  }

  load(address: Local, offset: number): this {
    return this.get(address).vector('load').unsigned(4).unsigned(offset);
  }

  splat(byte: number): this {
    return this.constant(byte).vector('i8x16Splat');
  }

  /** `local += step`, and again from the start while it is below `end`. */
  loop(local: Local, step: () => void, end: () => void, body: () => void): this {
    this.byte(OP.loop, EMPTY);
    body();
    this.get(local);
    step();
    this.byte(OP.i32Add, OP.localTee, LOCAL[local]);
    end();
    return this.byte(OP.i32LessUnsigned, OP.brIf, 0, OP.end);
  }
}

/** Adds the products of 16 codes, on the stack of locals `codes` and `values`, to `words`. */
const STEPS: Readonly<Record<TernaryKernel, (code: Code) => void>> = {
  multiply: (code) => {
    code.get('codes').splat(1).vector('i8x16Subtract').set('trits');
    code.get('words');
    code.get('trits').get('values').vector('i16x8MultiplyLow').vector('i16x8Add');
    code.get('trits').get('values').vector('i16x8MultiplyHigh').vector('i16x8Add').set('words');
  },
  add_subtract: (code) => {
    code.get('words');
    code.get('values').get('codes').splat(2).vector('i8x16Equal').vector('and');
    code.get('values').get('codes').splat(0).vector('i8x16Equal').vector('and');
    code.vector('i8x16Subtract').vector('i16x8AddPairsOfBytes').vector('i16x8Add').set('words');
  },
};

const VECTOR_BYTES = 16;
const CODES_IN_BYTE = 4;

/** One group of a row: eight vectors of codes, whose words stay below 2^15. */
const writeGroup = (code: Code, step: (code: Code) => void): void => {
  code.byte(0xfd).unsigned(VECTOR.constant).raw(new Uint8Array(VECTOR_BYTES)).set('words');
  for (let half = 0; half < GROUP_BYTES; half += VECTOR_BYTES) {
    for (let part = 0; part < CODES_IN_BYTE; part += 1) {
      code
        .load('w', half)
        .constant(2 * part)
        .vector('i8x16ShiftRight');
      code.splat(3).vector('and').set('codes');
      code.load('x', part * GROUP_BYTES + half).set('values');
      step(code);
    }
  }
  code.get('sum').get('words').vector('i32x4AddPairsOfWords').vector('i32x4Add').set('sum');
};

const kernelCode = (kernel: TernaryKernel): Code => {
  const code = new Code();
  // Their types: integers, then vectors.
  code
    .unsigned(2)
    .unsigned(INTEGERS - PARAMETERS)
    .byte(I32);
  code.unsigned(Object.keys(LOCAL).length - INTEGERS).byte(V128);
  const one = (): void => void code.constant(1);
  code.loop(
    'row',
    one,
    () => code.get('rows'),
    () => {
      code.constant(0).set('token').get('activations').set('x');
      code.loop(
        'token',
        one,
        () => code.get('tokens'),
        () => {
          code.byte(0xfd).unsigned(VECTOR.constant).raw(new Uint8Array(VECTOR_BYTES)).set('sum');
          code.get('weights').set('w');
          code.get('weights').get('rowBytes').byte(OP.i32Add).set('wEnd');
          code.loop(
            'w',
            () => code.constant(GROUP_BYTES),
            () => code.get('wEnd'),
            () => {
              writeGroup(code, STEPS[kernel]);
              code.get('x').constant(GROUP_TRITS).byte(OP.i32Add).set('x');
            },
          );
          // The place of the result: `result + 4 * (token * rows + row)` moves with the token.
          code.get('result');
          for (const lane of [0, 1, 2, 3]) {
            code.get('sum').vector('i32x4ExtractLane').byte(lane);
            if (lane > 0) code.byte(OP.i32Add);
          }
          code.byte(OP.i32Store, 2, 0);
          code.get('result').get('rows').constant(2).byte(OP.i32ShiftLeft, OP.i32Add).set('result');
        },
      );
      code.get('weights').get('rowBytes').byte(OP.i32Add).set('weights');
      // Back to the first token, one row further.
      code.get('result').get('rows').get('tokens').byte(0x6c).constant(2);
      code.byte(OP.i32ShiftLeft, OP.i32Subtract).constant(4).byte(OP.i32Add).set('result');
    },
  );
  return code.byte(OP.end);
};

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const KERNELS: readonly TernaryKernel[] = ['multiply', 'add_subtract'];

const moduleBytes = (): Uint8Array => {
  const section = (id: number, content: ByteWriter): void => void file.byte(id).sized(content);
  const file = new ByteWriter().byte(...MAGIC);
  const type = new ByteWriter().unsigned(1).byte(FUNCTION).unsigned(PARAMETERS);
  section(1, type.byte(...new Array<number>(PARAMETERS).fill(I32)).unsigned(0));
  section(3, new ByteWriter().unsigned(KERNELS.length).byte(...KERNELS.map(() => 0)));
  section(5, new ByteWriter().byte(1, 0, 1));
  const exported = new ByteWriter().unsigned(KERNELS.length + 1);
  KERNELS.forEach((kernel, index) => exported.text(kernel).byte(0).unsigned(index));
  section(7, exported.text('memory').byte(2, 0));
  const code = new ByteWriter().unsigned(KERNELS.length);
  for (const kernel of KERNELS) code.sized(kernelCode(kernel));
  section(10, code);
  return file.view().slice();
};

const PAGE_BYTES = 65_536;

type Kernel = (
  weights: number,
  rows: number,
  rowBytes: number,
  activations: number,
  tokens: number,
  result: number,
) => void;

/** The kernels with a memory of their own, which grows to the largest product. */
export class TernaryKernels {
  readonly #exports: Readonly<Record<string, unknown>>;
  readonly #memory: WebAssembly.Memory;

  constructor() {
    this.#exports = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()), {}).exports;
    this.#memory = this.#exports['memory'] as WebAssembly.Memory;
  }

  /** The integer results `[tokens, rows]` of rows of `width` activations. */
  product(
    kernel: TernaryKernel,
    { bytes, rows, groups }: PackedTrits,
    activations: Int8Array,
    width: number,
  ): Int32Array {
    const padded = padRows(activations, width);
    const tokens = activations.length / width;
    const xAt = bytes.length;
    const resultAt = Math.ceil((xAt + padded.length) / VECTOR_BYTES) * VECTOR_BYTES;
    const memory = this.#room(resultAt + 4 * tokens * rows);
    new Uint8Array(memory).set(bytes, 0);
    new Int8Array(memory).set(padded, xAt);
    const run = this.#exports[kernel] as Kernel;
    run(0, rows, groups * GROUP_BYTES, xAt, tokens, resultAt);
    return new Int32Array(memory, resultAt, tokens * rows).slice();
  }

  #room(bytes: number): ArrayBuffer {
    const missing = bytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    return this.#memory.buffer;
  }
}
