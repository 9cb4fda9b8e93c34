/**
 * Changes fields of a JSON object in its bytes: all other bytes stay as they are, and nothing is
 * parsed. The bytes are known to be JSON.
 */

import { endOfString } from './json-strings.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Where a field is: its name with the quotes, and its value. */
export interface FieldSpan {
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly end: number;
  /** Read when it is needed. */
  name: string | undefined;
}

/** An object that was read before. */
interface ReadObject {
  /** All of it; null where a character is more than a byte. */
  readonly ascii: string | null;
  readonly fields: readonly FieldSpan[];
}

const READ = Symbol('read');

/** A property, since an entry of a `WeakMap` costs as much as a search for the fields. */
interface ReadBuffer extends Buffer {
  [READ]?: ReadObject;
}

/** Keeps where the fields of an object are, in their order. The bytes never change. */
export const keepFields = (json: ReadBuffer, text: string, fields: readonly FieldSpan[]): void => {
  json[READ] = { ascii: text.length === json.length ? text : null, fields };
};

/** Names that are the same in JSON and in any encoding, as nearly all are. */
const PLAIN_NAME = /^[\w.-]*$/;

/** The name between two quotes. */
const nameIn = (json: Buffer, start: number, end: number): string => {
  const name = json.toString('latin1', start + 1, end - 1);
  return PLAIN_NAME.test(name) ? name : (JSON.parse(json.toString('utf8', start, end)) as string);
};

const nameInText = (text: string, start: number, end: number): string => {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : name;
};

/** JSON of the new value, or undefined to remove the field. */
export type FieldChanges = Readonly<Record<string, string | undefined>>;

/** Space, tab, line feed and carriage return. */
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const afterSpace = (json: Buffer, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

/** @returns the position after the value that starts here */
const endOfValue = (json: Buffer, start: number): number => {
  let depth = 0;
  for (let at = start; at < json.length;) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at + 1) + 1;
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
    at += 1;
  }
  return json.length;
};

/** The fields of the object itself, in their order; a name may be there twice. */
const fieldsIn = (json: ReadBuffer): readonly FieldSpan[] => json[READ]?.fields ?? fieldsRead(json);

const fieldsRead = (json: Buffer): readonly FieldSpan[] => {
  const fields: FieldSpan[] = [];
  for (let at = afterSpace(json, json.indexOf(OPEN) + 1); json[at] === QUOTE;) {
    const nameEnd = endOfString(json, at + 1) + 1;
    const valueStart = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = endOfValue(json, valueStart);
    fields.push({ nameStart: at, nameEnd, valueStart, end, name: undefined });
    const comma = afterSpace(json, end);
    if (json[comma] !== COMMA) break;
    at = afterSpace(json, comma + 1);
  }
  return fields;
};

const nameOf = (json: ReadBuffer, field: FieldSpan): string => {
  const { nameStart, nameEnd } = field;
  const ascii = json[READ]?.ascii;
  field.name ??= ascii ? nameInText(ascii, nameStart, nameEnd) : nameIn(json, nameStart, nameEnd);
  return field.name;
};

/** The last field of a name, as parsers read it. */
const spanOf = (json: Buffer, name: string): FieldSpan | undefined => {
  let found: FieldSpan | undefined;
  for (const field of fieldsIn(json)) {
    if (nameOf(json, field) === name) found = field;
  }
  return found;
};

/** The bytes of the value of a field. */
export const fieldIn = (json: Buffer, name: string): Buffer | undefined => {
  const field = spanOf(json, name);
  return field && json.subarray(field.valueStart, field.end);
};

/** The JSON of the value of a field. */
export const fieldTextIn = (json: ReadBuffer, name: string): string | undefined => {
  const field = spanOf(json, name);
  if (!field) return undefined;
  const ascii = json[READ]?.ascii;
  return ascii
    ? ascii.slice(field.valueStart, field.end)
    : json.toString('utf8', field.valueStart, field.end);
};

/** A part of the changed bytes: new JSON, or bytes that stay as they are. */
type Piece = string | { readonly from: number; readonly to: number };

/** Replaces or removes fields wherever their names are, and appends new ones. */
export const withFields = (json: Buffer, changes: FieldChanges): Buffer => {
  const open = json.indexOf(OPEN);
  const fields = fieldsIn(json);
  const pieces: Piece[] = [];
  let copied = 0;
  let kept = 0;
  let last = open + 1;
  for (const field of fields) {
    const { valueStart, end } = field;
    const name = nameOf(json, field);
    if (!Object.hasOwn(changes, name)) {
      kept += 1;
      last = end;
      continue;
    }
    const value = changes[name];
    if (value === undefined) {
      // The comma before a removed field is removed, too.
      pieces.push({ from: copied, to: last });
      copied = kept === 0 ? afterComma(json, end) : end;
      last = copied;
      continue;
    }
    pieces.push({ from: copied, to: valueStart }, value);
    copied = end;
    kept += 1;
    last = end;
  }
  const added = addedTo(fields, changes);
  if (added !== '') {
    pieces.push({ from: copied, to: last }, kept > 0 ? `,${added}` : added);
    copied = last;
  }
  if (pieces.length === 0) return json;
  pieces.push({ from: copied, to: json.length });
  return joined(json, pieces);
};

/** The fields that the object does not have yet. */
const addedTo = (fields: readonly FieldSpan[], changes: FieldChanges): string => {
  let added = '';
  for (const name in changes) {
    const value = changes[name];
    if (value === undefined || hasField(fields, name)) continue;
    added += `${added === '' ? '' : ','}${JSON.stringify(name)}:${value}`;
  }
  return added;
};

const hasField = (fields: readonly FieldSpan[], name: string): boolean => {
  for (const field of fields) if (field.name === name) return true;
  return false;
};

const joined = (json: Buffer, pieces: readonly Piece[]): Buffer => {
  let length = 0;
  for (const piece of pieces) {
    length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.to - piece.from;
  }
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    at +=
      typeof piece === 'string'
        ? whole.write(piece, at)
        : json.copy(whole, at, piece.from, piece.to);
  }
  return whole;
};

const afterComma = (json: Buffer, end: number): number => {
  const at = afterSpace(json, end);
  return json[at] === COMMA ? afterSpace(json, at + 1) : at;
};
