import { RentalQuery } from '#areas/rentals/rental.queries.js';
import { StopRentalCommand } from '#areas/rentals/stop-rental.handler.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { fieldsOf, RENTAL_NEEDS, type RentalOptions, textOf } from './rental-output.js';

export const stopRental = async (
  { number }: RentalOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const work = withQuipu(invocation, RENTAL_NEEDS, async ({ commands, queries, context }) => {
    await commands.execute(new StopRentalCommand(number, 'admin', context()));
    return queries.execute(new RentalQuery(number, 'admin'));
  });
  const rental = await work;
  return { json: fieldsOf(rental), text: textOf(rental) };
};
