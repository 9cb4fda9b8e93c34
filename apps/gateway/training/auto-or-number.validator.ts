import { ValidateBy } from 'class-validator';

/** `auto`, or a number within bounds. */
export const IsAutoOrNumber = (minimum: number, maximum: number): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isAutoOrNumber',
      validator: {
        validate: (value: unknown) =>
          value === 'auto' || (typeof value === 'number' && value >= minimum && value <= maximum),
      },
    },
    { message: `"auto", or a number from ${minimum} to ${maximum}` },
  );
