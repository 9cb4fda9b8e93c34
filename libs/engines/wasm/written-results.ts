import { F32 } from './binary/value-type.js';
import { type FunctionType } from './metering/module-shape.js';

/** The results of a function as text, one on each line, as `wasmtime run --invoke` prints them. */
export const writtenResults = (
  { results }: Pick<FunctionType, 'results'>,
  returned: unknown,
): string => {
  const values: unknown[] = results.length > 1 ? (returned as unknown[]) : [returned];
  return results.map((type, index) => `${written(values[index], type)}\n`).join('');
};

const written = (value: unknown, type: number): string => {
  if (typeof value !== 'number') return String(value);
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}inf`;
  return sign + withoutExponent(type === F32 ? shortestSingle(size) : String(size));
};

/** Nine digits tell any two values of f32 apart. */
const SINGLE_DIGITS_MAX = 9;

/** The fewest digits that are read as the same value of f32. */
const shortestSingle = (value: number): string => {
  for (let digits = 1; digits < SINGLE_DIGITS_MAX; digits += 1) {
    const nearest = value.toExponential(digits - 1);
    const found = [nearest, next(nearest)].find((text) => Math.fround(Number(text)) === value);
    if (found !== undefined) return found;
  }
  return value.toExponential(SINGLE_DIGITS_MAX - 1);
};

/**
 * One more in the last digit. Below a power of two the values of f32 are twice as dense: the
 * nearest number, rounded down, may be another value there, and the next one up the right one.
 */
const next = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return `${Number(whole + fraction) + 1}e${Number(exponent) - fraction.length}`;
};

/** A number of JavaScript such as `1.5e+21`, with zeros instead of the exponent. */
const withoutExponent = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
};
