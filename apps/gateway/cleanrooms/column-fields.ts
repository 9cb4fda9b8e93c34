import { type Column } from '#events/cleanrooms/cleanroom.events.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type ColumnDto } from './cleanrooms.dto.js';

const DECIMALS_MAX = 12;

/** The plain decimal of a number of a request, whose decimals are limited. */
export const decimalText = (value: number): string => {
  const digits = withoutTrailing(value.toFixed(DECIMALS_MAX), '0');
  const text = withoutTrailing(digits, '.');
  return text === '-0' ? '0' : text;
};

/** @throws RejectedRequestError for the fields of the other kind, and for absent ones */
export const columnOf = (column: ColumnDto, at: number): Column => {
  const { name, kind, values, minimum, maximum, step } = column;
  const fault = (field: string, expected: string): never => {
    throw rejectedField(`columns[${at}].${field}`, expected);
  };
  if (kind === 'category') {
    const foreign = Object.entries({ minimum, maximum, step }).find(([, value]) => value != null);
    if (foreign) return fault(foreign[0], 'expected no such field in a category');
    return values ? { kind, name, values } : fault('values', 'expected an array of strings');
  }
  if (values) return fault('values', 'expected no such field in a number');
  if (minimum == null) return fault('minimum', 'expected a number');
  if (maximum == null) return fault('maximum', 'expected a number');
  return {
    ...{ kind, name },
    minimum: decimalText(minimum),
    maximum: decimalText(maximum),
    step: decimalText(step ?? 1),
  };
};
