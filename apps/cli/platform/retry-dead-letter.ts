import { usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withSharedBus } from './shared-bus.js';

export interface RetryDeadLetterOptions extends CommonOptions {
  readonly topic: string;
  readonly group: string;
  readonly ids: readonly string[];
  readonly all?: boolean;
}

/** In the order in which they died, or in that of the command line. */
export const retryDeadLetter = async (
  { topic, group, ids, all = false }: RetryDeadLetterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (all === ids.length > 0) throw usage('name the ids, or say --all');
  const retried = await withSharedBus(invocation, async (bus) => {
    const wanted = all ? (await bus.deadLetters(topic, group)).map(({ id }) => id) : ids;
    for (const id of wanted) await bus.retryDeadLetter(topic, group, id);
    return wanted;
  });
  return {
    json: { retried },
    text: `Delivered anew to ${group}: ${retried.length}.`,
  };
};
