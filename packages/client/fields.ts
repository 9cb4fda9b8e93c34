import { demand } from './proof.error.js';

/** Reads the fields of JSON that is not trusted yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** @param what names the object in the message */
export const fieldsOf = (value: unknown, what: string): Fields => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  demand(isObject, `${what} is no object`);
  return value as Fields;
};

export const textOf = (fields: Fields, name: string): string => {
  const value = fields[name];
  demand(typeof value === 'string', `${name} is no text`);
  return value;
};

export const listOf = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name];
  demand(Array.isArray(value), `${name} is no list`);
  return value as readonly unknown[];
};

const WHOLE = /^(0|-?[1-9]\d{0,29})$/;

/** A whole number, as a decimal text or as a number that is exact. */
export const wholeOf = (fields: Fields, name: string): bigint => {
  const value = fields[name];
  const text = Number.isSafeInteger(value) ? String(value) : value;
  demand(typeof text === 'string' && WHOLE.test(text), `${name} is no whole number`);
  return BigInt(text);
};
