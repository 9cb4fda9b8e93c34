import { type Vector } from './ports.js';

const FLOAT_BYTES = 4;
/** Enough digits to tell any two 32-bit floats apart. */
const FLOAT_DIGITS = 9;

const floatsIn = (base64: string): number[] => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) =>
    Number(bytes.readFloatLE(at * FLOAT_BYTES).toPrecision(FLOAT_DIGITS)),
  );
};

const base64Of = (numbers: readonly number[]): string => {
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES);
  for (const [at, value] of numbers.entries()) bytes.writeFloatLE(value, at * FLOAT_BYTES);
  return bytes.toString('base64');
};

/** Numbers as the rig sent them, or the shortest that give the same 32-bit floats. */
export const numbersOf = (vector: Vector): readonly number[] =>
  typeof vector === 'string' ? floatsIn(vector) : vector;

/** 32-bit floats, little-endian, in base64. */
export const inEncoding = (vector: Vector, encoding: 'float' | 'base64'): Vector => {
  if (encoding === 'float') return numbersOf(vector);
  return typeof vector === 'string' ? vector : base64Of(vector);
};
