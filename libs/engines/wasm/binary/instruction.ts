import { malformed, reject } from '../wasm.errors.js';
import { type ByteReader } from './byte-reader.js';
import {
  checkValueType,
  EXCEPTIONS,
  FUNCTION_REFERENCES,
  GARBAGE_COLLECTION,
  readValueType,
} from './value-type.js';

/** The opcodes that the meter treats by name. */
export const OP = {
  unreachable: 0x00,
  nop: 0x01,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  returnCall: 0x12,
  returnCallIndirect: 0x13,
  drop: 0x1a,
  select: 0x1b,
  selectTyped: 0x1c,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  i32Ne: 0x47,
  i64Ne: 0x52,
  i64GtU: 0x56,
  i64GeS: 0x59,
  i32Or: 0x72,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64ExtendI32U: 0xad,
  refNull: 0xd0,
  refFunc: 0xd2,
  misc: 0xfc,
  simd: 0xfd,
} as const;

/** The second part of an opcode behind `OP.misc`. */
export const MISC = {
  memoryInit: 8,
  dataDrop: 9,
  memoryCopy: 10,
  memoryFill: 11,
  tableInit: 12,
  elemDrop: 13,
  tableCopy: 14,
  tableGrow: 15,
  tableSize: 16,
  tableFill: 17,
} as const;

const HAS_MEMORY_INDEX = 0x40;
/** The type of a block that takes and returns nothing. */
export const NO_TYPE = 0x40;
const SIMD_LAST = 0x113;
const THREADS = 'threads and atomics are not supported';

/** Opcodes of proposals that the sandbox does not run. */
const REFUSED = new Map<number, string>([
  ...[0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f].map((op) => [op, EXCEPTIONS] as const),
  ...[0x14, 0x15, 0xd4, 0xd5, 0xd6].map((op) => [op, FUNCTION_REFERENCES] as const),
  ...[0xd3, 0xfb].map((op) => [op, GARBAGE_COLLECTION] as const),
  [0xfe, THREADS],
]);

/**
 * Skips what follows an opcode, except for `OP.misc`, whose instructions the meter reads itself.
 * @throws WasmError for an instruction that the sandbox does not run
 */
export const skipImmediates = (op: number, reader: ByteReader): void => {
  if (op >= 0x45 && op <= 0xc4) return;
  if (op >= 0x28 && op <= 0x3e) {
    skipMemoryArgument(reader);
    return;
  }
  switch (op) {
    case OP.unreachable:
    case OP.nop:
    case OP.else:
    case OP.end:
    case OP.return:
    case OP.drop:
    case OP.select:
    case 0xd1:
      return;
    case OP.block:
    case OP.loop:
    case OP.if: {
      skipBlockType(reader);
      return;
    }
    case OP.brTable: {
      skipBranchTable(reader);
      return;
    }
    case OP.callIndirect:
    case OP.returnCallIndirect:
      reader.u32();
      reader.u32();
      return;
    case OP.selectTyped:
      for (let count = reader.count(); count > 0; count -= 1) readValueType(reader);
      return;
    case OP.i32Const:
    case OP.i64Const: {
      reader.skipNumber();
      return;
    }
    case OP.f32Const: {
      reader.skip(4);
      return;
    }
    case OP.f64Const: {
      reader.skip(8);
      return;
    }
    case OP.refNull:
      readValueType(reader);
      return;
    case OP.simd: {
      skipSimd(reader);
      return;
    }
    default: {
      skipIndex(op, reader);
      return;
    }
  }
};

/** Branches, calls, variables, tables, `memory.size` and `memory.grow` name one index. */
const skipIndex = (op: number, reader: ByteReader): void => {
  const hasIndex =
    op === OP.br ||
    op === OP.brIf ||
    op === OP.call ||
    op === OP.returnCall ||
    (op >= OP.localGet && op <= 0x26) ||
    op === OP.memorySize ||
    op === OP.memoryGrow ||
    op === OP.refFunc;
  if (!hasIndex) return rejectOpcode(op);
  reader.u32();
};

export const rejectOpcode = (op: number): never => {
  const reason = REFUSED.get(op);
  return reason === undefined ? malformed(`0x${op.toString(16)} is not an opcode`) : reject(reason);
};

const skipBlockType = (reader: ByteReader): void => {
  const byte = reader.bytes[reader.at] ?? 0;
  reader.skipNumber();
  // A negative number of one byte is a type, or none; any other number is the index of a type.
  const isType = byte > NO_TYPE && byte < 0x80;
  if (isType) checkValueType(byte);
};

const skipBranchTable = (reader: ByteReader): void => {
  for (let count = reader.count(); count > 0; count -= 1) reader.u32();
  reader.u32();
};

const skipMemoryArgument = (reader: ByteReader): void => {
  const alignment = reader.u32();
  if (alignment >= HAS_MEMORY_INDEX) reader.u32();
  reader.skipNumber();
};

const skipSimd = (reader: ByteReader): void => {
  const op = reader.u32();
  const hasMemoryArgument = op <= 11 || (op >= 84 && op <= 93);
  if (hasMemoryArgument) skipMemoryArgument(reader);
  const hasLane = (op >= 21 && op <= 34) || (op >= 84 && op <= 91);
  if (hasLane) reader.skip(1);
  if (op === 12 || op === 13) reader.skip(16);
  if (op > SIMD_LAST) malformed(`0xfd ${op} is not an opcode`);
};
