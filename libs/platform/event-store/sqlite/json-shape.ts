import { HOLE } from './packed.format.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The index behind the string that starts at `at` with a quote; -1 when it does not end. */
export const endOfString = (json: string, at: number): number => {
  for (let end = json.indexOf('"', at + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return -1;
};

/** The index behind the number or the literal at `at`; `at` where there is none. */
export const endOfLiteral = (json: string, at: number): number => {
  let end = at;
  for (; end < json.length; end += 1) {
    const code = json.charCodeAt(end);
    if (code === COMMA || code === CLOSING_BRACE || code === CLOSING_BRACKET) break;
    if (code === QUOTE || code === OPENING_BRACE || code === OPENING_BRACKET) return at;
  }
  return end;
};

export const startsString = (json: string, at: number): boolean => json.charCodeAt(at) === QUOTE;

const isStructure = (code: number): boolean =>
  code === COMMA ||
  code === COLON ||
  code === OPENING_BRACE ||
  code === CLOSING_BRACE ||
  code === OPENING_BRACKET ||
  code === CLOSING_BRACKET;

/** JSON as `JSON.stringify` writes it, with `HOLE` for every string, number and literal. */
export const shapeOf = (json: string): string => {
  let shape = '';
  for (let at = 0; at < json.length;) {
    const code = json.charCodeAt(at);
    if (isStructure(code)) {
      shape += json.charAt(at);
      at += 1;
      continue;
    }
    const end = code === QUOTE ? endOfString(json, at) : endOfLiteral(json, at);
    const isKey = code === QUOTE && json.charCodeAt(end) === COLON;
    shape += isKey ? json.slice(at, end) : HOLE;
    at = end;
  }
  return shape;
};
