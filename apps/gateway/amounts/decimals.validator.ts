import { ValidateBy } from 'class-validator';

/**
 * Whether it is a number with at most `decimalsMax` decimals. `IsNumber` of class-validator takes a
 * number that prints with an exponent, such as 1e-7, for one that has no decimals.
 */
export const hasDecimals = (value: unknown, decimalsMax: number): boolean =>
  typeof value === 'number' &&
  Number.isFinite(value) &&
  Number(value.toFixed(decimalsMax)) === value;

export const HasDecimals = (decimalsMax: number, message: string): PropertyDecorator =>
  ValidateBy(
    {
      name: 'hasDecimals',
      validator: { validate: (value: unknown) => hasDecimals(value, decimalsMax) },
    },
    { message },
  );
