import { isDeepStrictEqual } from 'node:util';
import { type Condition } from './control-nodes.js';

const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
};

/** A part of this length is searched natively: at most a comparison for each of its characters. */
const NATIVE_LENGTH_MAX = 64;

/**
 * `text.includes(part)` in linear time, by Knuth, Morris and Pratt: the native search takes minutes
 * for half a megabyte of equal letters in half a megabyte of others.
 */
export const includesText = (text: string, part: string): boolean => {
  if (part.length <= NATIVE_LENGTH_MAX) return text.includes(part);
  /** For each length of a beginning of the part: of its longest end that is a beginning, too. */
  const borders = new Int32Array(part.length + 1);
  const longer = (length: number, code: number): number => {
    let matched = length;
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched] ?? 0;
    return part.charCodeAt(matched) === code ? matched + 1 : matched;
  };
  for (let at = 1; at < part.length; at += 1) {
    borders[at + 1] = longer(borders[at] ?? 0, part.charCodeAt(at));
  }
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    matched = longer(matched, text.charCodeAt(at));
    if (matched === part.length) return true;
  }
  return false;
};

const contains = (value: unknown, part: unknown): boolean => {
  if (typeof value === 'string') return typeof part === 'string' && includesText(value, part);
  return Array.isArray(value) && value.some((entry) => isDeepStrictEqual(entry, part));
};

/** Numbers, and texts that are one, are compared as numbers; all else is not comparable. */
const numberOf = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
};

/** Whether a condition holds, its references resolved. Values of other types are never equal. */
export const holds = ({ value, operator, to }: Condition): boolean => {
  switch (operator) {
    case 'equals':
      return isDeepStrictEqual(value, to);
    case 'not_equals':
      return !isDeepStrictEqual(value, to);
    case 'contains':
      return contains(value, to);
    case 'not_contains':
      return !contains(value, to);
    case 'greater_than':
      return numberOf(value) > numberOf(to);
    case 'less_than':
      return numberOf(value) < numberOf(to);
    case 'is_empty':
      return isEmpty(value);
    case 'is_not_empty':
      return !isEmpty(value);
  }
};
