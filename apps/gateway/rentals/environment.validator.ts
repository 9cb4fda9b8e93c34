import { ValidateBy } from 'class-validator';
import { Environment } from '#areas/rentals/rental-input.js';

/** Variables of a program: their names and values. */
export const IsEnvironment = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isEnvironment',
      validator: { validate: (value: unknown) => Environment.safeParse(value).success },
    },
    {
      message:
        'an object of at most 64 names of letters, digits and _, not beginning with ' +
        'QUIPU_, with texts of at most 4096 characters',
    },
  );
