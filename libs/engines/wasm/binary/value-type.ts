import { malformed, reject } from '../wasm.errors.js';
import { type ByteReader } from './byte-reader.js';

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;
export const V128 = 0x7b;
export const FUNCREF = 0x70;
export const EXTERNREF = 0x6f;

const NAMES = new Map([
  [I32, 'i32'],
  [I64, 'i64'],
  [F32, 'f32'],
  [F64, 'f64'],
  [V128, 'v128'],
  [FUNCREF, 'funcref'],
  [EXTERNREF, 'externref'],
]);

export const GARBAGE_COLLECTION =
  'garbage collection is not supported: its heap would not count against the memory limit';
export const EXCEPTIONS = 'exception handling is not supported';
/** Wasmtime 49 loses the fuel of a function that `call_ref` calls. */
export const FUNCTION_REFERENCES =
  'typed function references are not supported: their calls would not be metered';

const REFERENCE = new Set([0x63, 0x64]);
const EXCEPTION = new Set([0x69, 0x74]);
const COLLECTED = new Set([0x65, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x71, 0x72, 0x73]);

export const nameOfType = (type: number): string =>
  NAMES.get(type) ?? `type 0x${type.toString(16)}`;

/** @throws WasmError for a type that the sandbox does not run */
export const readValueType = (reader: ByteReader): number => checkValueType(reader.byte());

export const checkValueType = (type: number): number => {
  if (NAMES.has(type)) return type;
  if (REFERENCE.has(type)) return reject(FUNCTION_REFERENCES);
  if (EXCEPTION.has(type)) return reject(EXCEPTIONS);
  if (COLLECTED.has(type)) return reject(GARBAGE_COLLECTION);
  return malformed(`0x${type.toString(16)} is not a type`);
};
