import { usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withSharedBus } from './shared-bus.js';

export interface RetryDeadLetterOptions extends CommonOptions {
  readonly topic: string;
  readonly group: string;
  readonly ids: readonly string[];
  readonly all?: boolean;
}

/** Retries in the order of the dead-letter list, or in the order of the command line. */
export const retryDeadLetter = async (
  { topic, group, ids, all = false }: RetryDeadLetterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (all === ids.length > 0) throw usage('give either ids or --all');
  const retried = await withSharedBus(invocation, async (bus) => {
    const wanted = all ? (await bus.deadLetters(topic, group)).map(({ id }) => id) : ids;
    for (const id of wanted) await bus.retryDeadLetter(topic, group, id);
    return wanted;
  });
  return {
    json: { retried },
    text: `Delivered again to ${group}: ${retried.length}.`,
  };
};
