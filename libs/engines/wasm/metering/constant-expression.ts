import { type ByteReader } from '../binary/byte-reader.js';
import { type ByteWriter } from '../binary/byte-writer.js';
import { OP, rejectOpcode, skipImmediates } from '../binary/instruction.js';

const CONSTANT: ReadonlySet<number> = new Set([
  OP.i32Const,
  OP.i64Const,
  OP.f32Const,
  OP.f64Const,
  OP.globalGet,
  OP.refNull,
  OP.simd,
  ...[0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e],
]);

/** Copies an expression up to its end, and renumbers the functions in it. */
export const copyConstant = (
  reader: ByteReader,
  writer: ByteWriter,
  functionIndex: (index: number) => number,
): void => {
  for (;;) {
    const start = reader.at;
    const op = reader.byte();
    if (op === OP.refFunc) {
      writer.byte(op).unsigned(functionIndex(reader.u32()));
      continue;
    }
    if (op !== OP.end && !CONSTANT.has(op)) rejectOpcode(op);
    skipImmediates(op, reader);
    writer.raw(reader.bytes.subarray(start, reader.at));
    if (op === OP.end) return;
  }
};
