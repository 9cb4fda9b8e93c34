/**
 * The two loops of the network in WebAssembly with 128-bit vectors: products of four places with
 * eight outputs, and a scaled and shifted SiLU. No operation is fused, so that every machine gives
 * the same floats.
 */
import { ByteWriter } from '../../wasm/binary/byte-writer.js';
import { OP } from '../../wasm/binary/instruction.js';

/** Places and outputs of a product that are computed together. */
export const TILE_PLACES = 4;
export const PANEL = 8;
export const FLOAT_BYTES = 4;

/** Addresses, steps and lengths are in bytes. */
export interface Kernels {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /**
   * One panel of outputs for tiles of places: `out = bias + sum over taps and inputs`. The weights
   * are the biases, then the outputs of each input of each tap.
   */
  product(
    input: number,
    inputStep: number,
    taps: number,
    tapsEnd: number,
    inputBytes: number,
    weights: number,
    out: number,
    outStep: number,
    tiles: number,
  ): void;
  /** `out = silu(input * scale + shift)` for places of channels behind each other. */
  gate(
    input: number,
    inputEnd: number,
    out: number,
    scale: number,
    shift: number,
    channelBytes: number,
  ): void;
}

const [I32, V128, FUNCTION, EMPTY] = [0x7f, 0x7b, 0x60, 0x40];
const VECTOR_BYTES = 16;
/** Inputs that one round of the innermost loop takes. */
const UNROLLED = 4;
const PAGES_MAX = 4_096;

const CODE = {
  i32Load: 0x28,
  i32LessUnsigned: 0x49,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
} as const;

/** Behind the prefix of vector instructions. */
const VECTOR = {
  load: 0,
  loadSplat: 9,
  store: 11,
  constant: 12,
  nearest: 106,
  shiftLeft: 171,
  addIntegers: 174,
  negate: 225,
  add: 228,
  subtract: 229,
  multiply: 230,
  divide: 231,
  least: 232,
  most: 233,
  toIntegers: 248,
} as const;

/** A function by the names of its locals: parameters and integers first, then vectors. */
class Code extends ByteWriter {
  constructor(
    private readonly parameters: readonly string[],
    private readonly integers: readonly string[],
    private readonly vectors: readonly string[],
  ) {
    super(4_096);
    this.unsigned(2).unsigned(integers.length).byte(I32).unsigned(vectors.length).byte(V128);
  }

  #local(name: string): number {
    return [...this.parameters, ...this.integers, ...this.vectors].indexOf(name);
  }

  get(name: string): this {
    return this.byte(OP.localGet).unsigned(this.#local(name));
  }

  set(name: string): this {
    return this.byte(OP.localSet).unsigned(this.#local(name));
  }

  op(operation: keyof typeof CODE): this {
    return this.byte(CODE[operation]);
  }

  vector(operation: keyof typeof VECTOR): this {
    return this.byte(0xfd).unsigned(VECTOR[operation]);
  }

  load(address: string, offset: number, operation: 'load' | 'loadSplat' = 'load'): this {
    return this.get(address).vector(operation).unsigned(2).unsigned(offset);
  }

  /** Stores the vector on the stack, whose address is under it. */
  store(offset: number): this {
    return this.vector('store').unsigned(2).unsigned(offset);
  }

  splat(value: number): this {
    const lanes = new Uint8Array(new Float32Array(4).fill(value).buffer);
    return this.byte(0xfd).unsigned(VECTOR.constant).raw(lanes);
  }

  splatInteger(value: number): this {
    const lanes = new Uint8Array(new Int32Array(4).fill(value).buffer);
    return this.byte(0xfd).unsigned(VECTOR.constant).raw(lanes);
  }

  constant(value: number): this {
    return this.byte(OP.i32Const).signed(BigInt(value));
  }

  increase(name: string, by: string | number): this {
    this.get(name);
    if (typeof by === 'number') this.constant(by);
    else this.get(by);
    return this.op('i32Add').set(name);
  }

  /** Repeats the body while `name` is below `end`; at least once. */
  loopUntil(name: string, end: string, body: () => void): this {
    this.byte(OP.loop, EMPTY);
    body();
    return this.get(name).get(end).op('i32LessUnsigned').byte(OP.brIf, 0, OP.end);
  }
}

const places = Array.from({ length: TILE_PLACES }, (_, place) => place);
const halves = [0, 1] as const;
const sumOf = (place: number, half: number): string => `sum${place}${half}`;

const PRODUCT = [
  ...['input', 'inputStep', 'taps', 'tapsEnd', 'inputBytes'],
  ...['weights', 'out', 'outStep', 'tiles'],
];

const productCode = (): Code => {
  const code = new Code(
    PRODUCT,
    ['tap', 'at0', 'at1', 'at2', 'at3', 'end', 'weight'],
    [...places.flatMap((place) => halves.map((half) => sumOf(place, half))), 'one', 'other', 'x'],
  );
  code.byte(OP.loop, EMPTY);
  for (const half of halves) {
    code.load('weights', half * VECTOR_BYTES).set(sumOf(0, half));
    for (const place of places.slice(1)) code.get(sumOf(0, half)).set(sumOf(place, half));
  }
  code
    .get('weights')
    .constant(2 * VECTOR_BYTES)
    .op('i32Add')
    .set('weight');
  code.get('taps').set('tap');
  code.loopUntil('tap', 'tapsEnd', () => {
    code.get('input').get('tap').op('i32Load').unsigned(2).unsigned(0).op('i32Add').set('at0');
    for (const place of places.slice(1)) {
      code
        .get(`at${place - 1}`)
        .get('inputStep')
        .op('i32Add')
        .set(`at${place}`);
    }
    code.get('at0').get('inputBytes').op('i32Add').set('end');
    code.loopUntil('at0', 'end', () => {
      for (let step = 0; step < UNROLLED; step += 1) {
        code.load('weight', 2 * step * VECTOR_BYTES).set('one');
        code.load('weight', (2 * step + 1) * VECTOR_BYTES).set('other');
        for (const place of places) {
          code.load(`at${place}`, step * FLOAT_BYTES, 'loadSplat').set('x');
          for (const half of halves) {
            code.get(sumOf(place, half)).get('x');
            code
              .get(half === 0 ? 'one' : 'other')
              .vector('multiply')
              .vector('add');
            code.set(sumOf(place, half));
          }
        }
      }
      code.increase('weight', 2 * UNROLLED * VECTOR_BYTES);
      for (const place of places) code.increase(`at${place}`, UNROLLED * FLOAT_BYTES);
    });
    code.increase('tap', FLOAT_BYTES);
  });
  for (const place of places) {
    for (const half of halves) {
      code
        .get('out')
        .get(sumOf(place, half))
        .store(half * VECTOR_BYTES);
    }
    code.increase('out', 'outStep').increase('input', 'inputStep');
  }
  code.get('tiles').constant(1).op('i32Subtract').byte(OP.localTee);
  code.unsigned(PRODUCT.indexOf('tiles'));
  return code.byte(OP.brIf, 0, OP.end, OP.end);
};

const LOG2_E = Math.LOG2E;
/** The logarithm of 2 as a float with few bits, and the rest of it. */
const [LN2_HIGH, LN2_LOW] = [0.693359375, -2.1219444e-4];
const EXPONENT_BIAS = 127;
const MANTISSA_BITS = 23;
/** Beyond it, the power of 2 would leave the range of a float. */
const EXPONENT_MAX = 87;
/** Of the power series of exp, from the highest: its error is below the rounding of a float. */
const SERIES = [1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1];

const GATE = ['input', 'inputEnd', 'out', 'scale', 'shift', 'channelBytes'];

const gateCode = (): Code => {
  const code = new Code(GATE, ['a', 'b', 'end'], ['x', 'e', 'n']);
  code.loopUntil('input', 'inputEnd', () => {
    code.get('scale').set('a').get('shift').set('b');
    code.get('input').get('channelBytes').op('i32Add').set('end');
    code.loopUntil('input', 'end', () => {
      code.load('input', 0).load('a', 0).vector('multiply').load('b', 0).vector('add').set('x');
      // exp(-x) as a power of 2 times the series of the rest.
      code.get('x').vector('negate').splat(EXPONENT_MAX).vector('least');
      code.splat(-EXPONENT_MAX).vector('most').set('e');
      code.get('e').splat(LOG2_E).vector('multiply').vector('nearest').set('n');
      code.get('e').get('n').splat(LN2_HIGH).vector('multiply').vector('subtract');
      code.get('n').splat(LN2_LOW).vector('multiply').vector('subtract').set('e');
      const [first = 0, ...others] = SERIES;
      code.splat(first);
      for (const factor of others) {
        code.get('e').vector('multiply').splat(factor).vector('add');
      }
      code.get('n').vector('toIntegers').splatInteger(EXPONENT_BIAS).vector('addIntegers');
      code.constant(MANTISSA_BITS).vector('shiftLeft').vector('multiply');
      code.splat(1).vector('add').set('e');
      code.get('out').get('x').get('e').vector('divide').store(0);
      for (const name of ['input', 'out', 'a', 'b']) code.increase(name, VECTOR_BYTES);
    });
  });
  return code.byte(OP.end);
};

const FUNCTIONS = [
  { name: 'product', parameters: PRODUCT, code: productCode },
  { name: 'gate', parameters: GATE, code: gateCode },
];

const moduleBytes = (): Uint8Array => {
  const file = new ByteWriter().byte(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
  const section = (id: number, content: ByteWriter): void => void file.byte(id).sized(content);
  const types = new ByteWriter().unsigned(FUNCTIONS.length);
  const exported = new ByteWriter().unsigned(FUNCTIONS.length + 1);
  const bodies = new ByteWriter(8_192).unsigned(FUNCTIONS.length);
  FUNCTIONS.forEach(({ name, parameters, code }, index) => {
    types.byte(FUNCTION).unsigned(parameters.length);
    types.byte(...parameters.map(() => I32)).unsigned(0);
    exported.text(name).byte(0).unsigned(index);
    bodies.sized(code());
  });
  section(1, types);
  section(3, new ByteWriter().unsigned(FUNCTIONS.length).byte(...FUNCTIONS.map((_, at) => at)));
  section(5, new ByteWriter().byte(1, 1, 1).unsigned(PAGES_MAX));
  section(7, exported.text('memory').byte(2, 0));
  section(10, bodies);
  return file.view().slice();
};

let compiled: WebAssembly.Module | undefined;

/** The kernels with a memory of their own, of one page. */
export const createKernels = (): Kernels => {
  compiled ??= new WebAssembly.Module(moduleBytes());
  return new WebAssembly.Instance(compiled, {}).exports as unknown as Kernels;
};
