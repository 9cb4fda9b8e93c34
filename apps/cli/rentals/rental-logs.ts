import { setTimeout as sleep } from 'node:timers/promises';
import { RentalLogQuery, RentalQuery } from '#areas/rentals/rental.queries.js';
import { type Invocation, type Outcome } from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { RENTAL_NEEDS, type RentalOptions } from './rental-output.js';

export interface RentalLogsOptions extends RentalOptions {
  readonly follow?: boolean;
}

const POLL_MS = 250;

/** With `--json` each piece is a line of JSON, whose text is decoded as UTF-8. */
export const rentalLogs = (
  options: RentalLogsOptions,
  invocation: Invocation,
): Promise<Outcome | undefined> =>
  withQuipu(invocation, RENTAL_NEEDS, async (quipu) => {
    await print(quipu, options, invocation);
    return undefined;
  });

const print = async (
  { queries }: Quipu,
  { number, follow = false, json = false }: RentalLogsOptions,
  { stdout, signal }: Invocation,
): Promise<void> => {
  let offset = 0;
  let isOver = !follow;
  for (;;) {
    const { content, next } = await queries.execute(new RentalLogQuery(number, 'admin', offset));
    if (content.length > 0) {
      const text = content.toString('utf8');
      stdout.write(json ? `${JSON.stringify({ offset, text })}\n` : content);
      offset = next;
      continue;
    }
    if (isOver || signal.aborted) return;
    // Output that was written before the end is read once more.
    const { job } = await queries.execute(new RentalQuery(number, 'admin'));
    isOver = job.endedAt !== null;
    if (!isOver) await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
};
