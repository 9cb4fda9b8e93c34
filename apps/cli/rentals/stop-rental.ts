import { RentalQuery } from '#areas/rentals/rental.queries.js';
import { StopRentalCommand } from '#areas/rentals/stop-rental.handler.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type IrreversibleOptions, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { fieldsOf, RENTAL_NEEDS, type RentalOptions, textOf } from './rental-output.js';

export interface StopRentalOptions extends RentalOptions, IrreversibleOptions {}

export const stopRental = async (
  options: StopRentalOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { number } = options;
  const consequence = `This ends the program of rental ${number}, with its unsaved work.`;
  const otherwise = 'the rental runs on';
  await confirm({ word: String(number), consequence, otherwise }, options, invocation);
  const work = withQuipu(invocation, RENTAL_NEEDS, async ({ commands, queries, context }) => {
    await commands.execute(new StopRentalCommand(number, 'admin', context()));
    return queries.execute(new RentalQuery(number, 'admin'));
  });
  const rental = await work;
  return { json: fieldsOf(rental), text: textOf(rental) };
};
