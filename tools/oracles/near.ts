/** How far numbers may lie apart that the same program computed on two machines. */
const TOLERANCE = 1e-5;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two JSON values are equal, but for the last digits of numbers that are not whole. */
export const isNear = (one: unknown, other: unknown): boolean => {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => isNear(value, other[at]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && isNear(one[key], other[key]))
    );
  }
  if (typeof one !== 'number' || typeof other !== 'number') return one === other;
  if (Number.isInteger(one) && Number.isInteger(other)) return one === other;
  return Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one));
};
