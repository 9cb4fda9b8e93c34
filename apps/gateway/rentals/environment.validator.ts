import { ValidateBy, type ValidationOptions } from 'class-validator';
import { Environment } from '#areas/rentals/rental-input.js';

/** Variables of a program: their names and values. */
export const IsEnvironment = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isEnvironment',
      validator: {
        validate: (value: unknown) => Environment.safeParse(value).success,
        defaultMessage: () =>
          'environment must have at most 64 names of letters, digits and _, not beginning with ' +
          'QUIPU_, with texts of at most 4096 characters',
      },
    },
    options,
  );
