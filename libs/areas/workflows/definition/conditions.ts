import { isDeepStrictEqual } from 'node:util';
import { type Condition } from './control-nodes.js';

const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
};

const contains = (value: unknown, part: unknown): boolean => {
  if (typeof value === 'string') return typeof part === 'string' && value.includes(part);
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
