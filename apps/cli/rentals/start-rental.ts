import { Command, ImageName } from '#areas/rentals/rental-input.js';
import { RentalQuery } from '#areas/rentals/rental.queries.js';
import { StartRentalCommand } from '#areas/rentals/start-rental.handler.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { fieldsOf, RENTAL_NEEDS, textOf } from './rental-output.js';

export interface StartRentalOptions extends CommonOptions {
  readonly user: string;
  readonly rig: string;
  readonly image?: string;
  readonly words: readonly string[];
}

const NEEDS = {
  areas: ['identity', 'catalog', ...RENTAL_NEEDS.areas],
  installation: 'exists',
  projections: [rateCards, openJobs, ...RENTAL_NEEDS.projections],
} as const;

/** A running server starts the program; this command submits the order. */
export const startRental = async (
  { user, rig, image, words }: StartRentalOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const command = Command.safeParse(words);
  if (!command.success) throw usage('the program and its arguments are too long');
  const named = ImageName.nullable().safeParse(image ?? null);
  if (!named.success) throw usage('--image must be the name of an image');
  const rental = await withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const accountId = await accountOf({ queries }, user);
    const what = { command: command.data, environment: {}, image: named.data };
    const order = { accountId, rig, ...what };
    const number = await commands.execute(new StartRentalCommand(order, context()));
    return queries.execute(new RentalQuery(number, 'admin'));
  });
  return { json: fieldsOf(rental), text: textOf(rental) };
};

const usage = (message: string): CommandFailure => new CommandFailure('usage', message, EXIT.usage);
