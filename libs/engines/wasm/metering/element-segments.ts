import { type ByteReader } from '../binary/byte-reader.js';
import { ByteWriter } from '../binary/byte-writer.js';
import { readValueType } from '../binary/value-type.js';
import { malformed } from '../wasm.errors.js';
import { copyConstant } from './constant-expression.js';

const PASSIVE_OR_DECLARED = 1;
const HAS_TABLE = 2;
const EXPRESSIONS = 4;
const FLAGS_MAX = 7;

/** Copies the segments of tables and renumbers the functions in them. */
export const copyElements = (
  reader: ByteReader,
  functionIndex: (index: number) => number,
): ByteWriter => {
  const segments = reader.count();
  const out = new ByteWriter(reader.end - reader.at).unsigned(segments);
  for (let left = segments; left > 0; left -= 1) copySegment(reader, out, functionIndex);
  return out;
};

const copySegment = (
  reader: ByteReader,
  out: ByteWriter,
  functionIndex: (index: number) => number,
): void => {
  const flags = reader.u32();
  if (flags > FLAGS_MAX) malformed(`${flags} is not a kind of element segment`);
  out.unsigned(flags);
  const isActive = (flags & PASSIVE_OR_DECLARED) === 0;
  if (isActive) {
    if (flags & HAS_TABLE) out.unsigned(reader.u32());
    copyConstant(reader, out, functionIndex);
  }
  const hasExpressions = (flags & EXPRESSIONS) !== 0;
  const namesKind = (flags & (PASSIVE_OR_DECLARED | HAS_TABLE)) !== 0;
  if (namesKind) out.byte(hasExpressions ? readValueType(reader) : reader.byte());
  const items = reader.count();
  out.unsigned(items);
  for (let left = items; left > 0; left -= 1) {
    if (hasExpressions) copyConstant(reader, out, functionIndex);
    else out.unsigned(functionIndex(reader.u32()));
  }
};
