import { registerDecorator } from 'class-validator';

/**
 * Whether it is a number with at most so many decimals. `IsNumber` of class-validator takes a
 * number that prints with an exponent, such as 1e-7, for one without decimals.
 */
export const hasDecimals = (value: unknown, decimalsMax: number): boolean =>
  typeof value === 'number' &&
  Number.isFinite(value) &&
  Number(value.toFixed(decimalsMax)) === value;

export const HasDecimals =
  (decimalsMax: number): PropertyDecorator =>
  (target, propertyKey) => {
    registerDecorator({
      name: 'hasDecimals',
      target: target.constructor,
      propertyName: String(propertyKey),
      options: {
        message: `${String(propertyKey)} must be a number with at most ${decimalsMax} decimals`,
      },
      validator: { validate: (value: unknown) => hasDecimals(value, decimalsMax) },
    });
  };
