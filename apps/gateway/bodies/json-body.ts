import { HttpFailure } from '../errors/http-failure.js';
import { keepFields } from '#platform/kernel/json-fields.js';
import { rejectUnboundedJson } from './json-bounds.js';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const beginsWithMark = (bytes: Buffer): boolean =>
  bytes[0] === BYTE_ORDER_MARK[0] &&
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

/** RFC 8259 (section 8.1) lets a parser ignore a mark before the text. A rig gets none. */
export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  beginsWithMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

/**
 * Parses JSON within bounds, and rejects prototype poisoning. Keeps where the fields of an object
 * are, so that its bytes are not read again to change one. An empty body counts as no body: some
 * clients send the content type without one.
 * @throws HttpFailure 400
 */
export const parseJson = (bytes: Buffer): unknown => {
  if (bytes.length === 0) return undefined;
  const fields = rejectUnboundedJson(bytes);
  const text = bytes.toString('utf8');
  const value = valueOf(text);
  if (mayBePoisoned(text) && isPoisoned(value))
    throw invalidJson('a field may not be named __proto__');
  keepFields(bytes, text, fields);
  return value;
};

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message : String(error));
  }
};

/** Both names have `proto`, which only an escape can hide. Nearly all bodies have neither. */
const mayBePoisoned = (text: string): boolean => text.includes('proto') || text.includes('\\u');

/**
 * Whether a copy of the value could get another prototype: by a field `__proto__`, or by
 * `constructor.prototype`. The bounds limit the depth.
 */
const isPoisoned = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__') || hasOwnPrototype(value)) return true;
  return Object.values(value).some(isPoisoned);
};

const hasOwnPrototype = (value: object): boolean => {
  const constructed: unknown = Object.hasOwn(value, 'constructor') ? value.constructor : null;
  return (
    typeof constructed === 'object' &&
    constructed !== null &&
    Object.hasOwn(constructed, 'prototype')
  );
};

const invalidJson = (reason: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_json',
    message: `the body is not JSON: ${reason}`,
  });
