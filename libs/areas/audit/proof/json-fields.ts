import { ProofError, demand } from './proof.error.js';

/** Reads JSON without a schema library, since the verifier is one file without dependencies. */

export type Fields = Readonly<Record<string, unknown>>;

/** @param what names the object in the message */
export const fieldsOf = (value: unknown, what: string): Fields => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  demand(isObject, `${what} is no object`);
  return value as Fields;
};

export const parseFields = (text: string, what: string): Fields => {
  try {
    return fieldsOf(JSON.parse(text), what);
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw new ProofError(`${what} is no JSON`, { cause: error });
  }
};

/** A field that is not verified must not be there. */
export const demandOnly = (fields: Fields, names: readonly string[], what: string): void => {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  demand(unknown === undefined, `${what} has a field that nothing proves: ${unknown ?? ''}`);
};

export const textOf = (fields: Fields, name: string): string => {
  const value = fields[name];
  demand(typeof value === 'string', `${name} is no text`);
  return value;
};

export const textOrNull = (fields: Fields, name: string): string | null =>
  fields[name] == null ? null : textOf(fields, name);

export const wholeOf = (fields: Fields, name: string): number => {
  const value = fields[name];
  demand(Number.isSafeInteger(value), `${name} is no whole number`);
  return value as number;
};

export const listOf = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name];
  demand(Array.isArray(value), `${name} is no list`);
  return value as readonly unknown[];
};

const AMOUNT = /^(0|-?[1-9]\d{0,29})$/;

/** A whole number as a decimal string. */
export const amountOf = (fields: Fields, name: string): bigint => {
  const text = textOf(fields, name);
  demand(AMOUNT.test(text), `${name} is no amount`);
  return BigInt(text);
};
