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

/** The fields of an object whose bytes were read before; their names are read when needed. */
interface KeptFields {
  readonly spans: readonly FieldSpan[];
  places?: readonly FieldPlace[];
}

const KEPT = new WeakMap<Buffer, KeptFields>();

/** Keeps where the fields of an object are, in their order. The bytes never change. */
export const keepFields = (json: Buffer, fields: readonly FieldSpan[]): void => {
  KEPT.set(json, { spans: fields });
};

/** Names that are the same in JSON and in any encoding, as nearly all are. */
const PLAIN_NAME = /^[\w.-]*$/;

/** The name between two quotes. */
const nameIn = (json: Buffer, start: number, end: number): string => {
  const name = json.toString('latin1', start + 1, end - 1);
  return PLAIN_NAME.test(name) ? name : (JSON.parse(json.toString('utf8', start, end)) as string);
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
const placesIn = (json: Buffer, open: number): readonly FieldPlace[] => {
  const kept = KEPT.get(json);
  if (!kept) return placesRead(json, open);
  kept.places ??= kept.spans.map(({ nameStart, nameEnd, valueStart, end }) => ({
    name: nameIn(json, nameStart, nameEnd),
    valueStart,
    end,
  }));
  return kept.places;
};

const placesRead = (json: Buffer, open: number): readonly FieldPlace[] => {
  const places: FieldPlace[] = [];
  for (let at = afterSpace(json, open + 1); json[at] === QUOTE;) {
    const nameEnd = endOfString(json, at + 1) + 1;
    const name = nameIn(json, at, nameEnd);
    const valueStart = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = endOfValue(json, valueStart);
    places.push({ name, valueStart, end });
    const comma = afterSpace(json, end);
    if (json[comma] !== COMMA) break;
    at = afterSpace(json, comma + 1);
  }
  return places;
};

/** The last field of a name, as parsers read it. */
const placeOf = (json: Buffer, name: string): FieldPlace | undefined => {
  let found: FieldPlace | undefined;
  for (const place of placesIn(json, json.indexOf(OPEN))) if (place.name === name) found = place;
  return found;
};

/** The bytes of the value of a field. */
export const fieldIn = (json: Buffer, name: string): Buffer | undefined => {
  const place = placeOf(json, name);
  return place && json.subarray(place.valueStart, place.end);
};

/** The JSON of the value of a field. */
export const fieldTextIn = (json: Buffer, name: string): string | undefined => {
  const place = placeOf(json, name);
  return place && json.toString('utf8', place.valueStart, place.end);
};

/** A part of the changed bytes: new JSON, or bytes that stay as they are. */
type Piece = string | { readonly from: number; readonly to: number };

/** Replaces or removes fields wherever their names are, and appends new ones. */
export const withFields = (json: Buffer, changes: FieldChanges): Buffer => {
  const open = json.indexOf(OPEN);
  const places = placesIn(json, open);
  const pieces: Piece[] = [];
  let copied = 0;
  let kept = 0;
  let last = open + 1;
  for (const { name, valueStart, end } of places) {
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
  const added = addedTo(places, changes);
  if (added !== '') {
    pieces.push({ from: copied, to: last }, kept > 0 ? `,${added}` : added);
    copied = last;
  }
  if (pieces.length === 0) return json;
  pieces.push({ from: copied, to: json.length });
  return joined(json, pieces);
};

/** The fields that the object does not have yet. */
const addedTo = (places: readonly FieldPlace[], changes: FieldChanges): string => {
  let added = '';
  for (const name in changes) {
    const value = changes[name];
    if (value === undefined || hasField(places, name)) continue;
    added += `${added === '' ? '' : ','}${JSON.stringify(name)}:${value}`;
  }
  return added;
};

const hasField = (places: readonly FieldPlace[], name: string): boolean => {
  for (const place of places) if (place.name === name) return true;
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
