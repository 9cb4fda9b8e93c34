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
}

interface FieldPlace extends Pick<FieldSpan, 'valueStart' | 'end'> {
  readonly name: string;
}

/** The fields of objects whose bytes were read before. */
const KEPT = new WeakMap<Buffer, readonly FieldSpan[]>();

/** Keeps where the fields of an object are, in their order. The bytes never change. */
export const keepFields = (json: Buffer, fields: readonly FieldSpan[]): void => {
  KEPT.set(json, fields);
};

const nameIn = (json: Buffer, start: number, end: number): string =>
  JSON.parse(json.toString('utf8', start, end)) as string;

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
function* placesIn(json: Buffer, open: number): Generator<FieldPlace> {
  const kept = KEPT.get(json);
  if (kept) {
    for (const { nameStart, nameEnd, valueStart, end } of kept) {
      yield { name: nameIn(json, nameStart, nameEnd), valueStart, end };
    }
    return;
  }
  for (let at = afterSpace(json, open + 1); json[at] === QUOTE;) {
    const nameEnd = endOfString(json, at + 1) + 1;
    const name = nameIn(json, at, nameEnd);
    const valueStart = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = endOfValue(json, valueStart);
    yield { name, valueStart, end };
    const comma = afterSpace(json, end);
    if (json[comma] !== COMMA) return;
    at = afterSpace(json, comma + 1);
  }
}

/** The bytes of the value of a field; the last one of its name, as parsers read it. */
export const fieldIn = (json: Buffer, name: string): Buffer | undefined => {
  let found: Buffer | undefined;
  for (const place of placesIn(json, json.indexOf(OPEN))) {
    if (place.name === name) found = json.subarray(place.valueStart, place.end);
  }
  return found;
};

/** Replaces or removes fields wherever their names are, and appends new ones. */
export const withFields = (json: Buffer, changes: FieldChanges): Buffer => {
  const open = json.indexOf(OPEN);
  const missing = new Map(Object.entries(changes).filter(([, value]) => value !== undefined));
  const pieces: Buffer[] = [];
  let copied = 0;
  let kept = 0;
  let last = open + 1;
  for (const { name, valueStart, end } of placesIn(json, open)) {
    if (Object.hasOwn(changes, name)) {
      const value = changes[name];
      // The comma before a removed field is removed, too.
      const isRemoved = value === undefined;
      pieces.push(json.subarray(copied, isRemoved ? last : valueStart));
      if (!isRemoved) pieces.push(Buffer.from(value));
      copied = end;
      if (isRemoved && kept === 0) copied = afterComma(json, end);
      missing.delete(name);
      if (isRemoved) {
        last = kept === 0 ? copied : end;
        continue;
      }
    }
    kept += 1;
    last = end;
  }
  const added = [...missing].map(([name, value]) => `${JSON.stringify(name)}:${value ?? ''}`);
  if (added.length > 0) {
    pieces.push(json.subarray(copied, Math.max(copied, last)));
    pieces.push(Buffer.from(`${kept > 0 ? ',' : ''}${added.join(',')}`));
    copied = Math.max(copied, last);
  }
  if (pieces.length === 0) return json;
  return Buffer.concat([...pieces, json.subarray(copied)]);
};

const afterComma = (json: Buffer, end: number): number => {
  const at = afterSpace(json, end);
  return json[at] === COMMA ? afterSpace(json, at + 1) : at;
};
