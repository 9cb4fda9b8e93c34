import { RentalQuery } from '#areas/rentals/rental.queries.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { fieldsOf, RENTAL_NEEDS, type RentalOptions, textOf } from './rental-output.js';

export const showRental = async (
  { number }: RentalOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const rental = await withQuipu(invocation, RENTAL_NEEDS, ({ queries }) =>
    queries.execute(new RentalQuery(number, 'admin')),
  );
  return { json: fieldsOf(rental), text: textOf(rental) };
};
