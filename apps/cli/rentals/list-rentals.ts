import { RentalsQuery } from '#areas/rentals/rental.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf } from '../user-option.js';
import { fieldsOf, RENTAL_NEEDS, secondsOf } from './rental-output.js';

export interface ListRentalsOptions extends CommonOptions {
  readonly user: string;
  readonly after?: number;
  readonly limit: number;
}

export const listRentals = async (
  { user, after, limit }: ListRentalsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = { ...RENTAL_NEEDS, areas: ['identity', ...RENTAL_NEEDS.areas] };
  const { rentals, nextAfter } = await withQuipu(invocation, needs, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    return queries.execute(new RentalsQuery(accountId, { limit, after: after ?? null }));
  });
  const header = ['NUMBER', 'RIG', 'STATE', 'PORTS', 'SECONDS', 'SUBMITTED'];
  const rows = rentals.map((rental) => {
    const { summary, job } = rental;
    const ports = `${summary.firstPort}-${summary.lastPort}`;
    const facts = [summary.rig, job.status, ports, String(secondsOf(rental)), job.submittedAt];
    return [String(summary.number), ...facts];
  });
  return {
    json: { rentals: rentals.map(fieldsOf), next_after: nextAfter },
    text: listText({ noun: 'rentals', header, rows, nextAfter }),
  };
};
