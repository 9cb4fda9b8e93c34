import { type DeadLetter } from '#platform/bus/bus.port.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withSharedBus } from './shared-bus.js';
import { inColumns } from '../table.js';

export interface ListDeadLettersOptions extends CommonOptions {
  readonly topic: string;
  readonly group: string;
}

/** Only the JSON output has the data of a message: it may be long and hold personal data. */
export const listDeadLetters = (
  { topic, group }: ListDeadLettersOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withSharedBus(invocation, async (bus) => {
    const letters = await bus.deadLetters(topic, group);
    return { json: { dead_letters: letters.map(fieldsOf) }, text: textOf(letters) };
  });

const fieldsOf = ({ id, key, attempts, reason, headers, data }: DeadLetter): object => ({
  id,
  key,
  attempts,
  reason,
  headers,
  data,
});

const textOf = (letters: readonly DeadLetter[]): string => {
  if (letters.length === 0) return 'There are no dead letters.';
  const rows = letters.map(({ id, key, attempts, reason }) => [id, key, `${attempts}`, reason]);
  return inColumns([['ID', 'KEY', 'ATTEMPTS', 'REASON'], ...rows]);
};
