import { randomUUID } from 'node:crypto';
import { systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { keySetIdOf } from '../../composition/engines.js';
import { confirm } from '../confirmation.js';
import { withLog } from '../installation.js';
import { type Invocation, type IrreversibleOptions, type Outcome } from '../invocation.js';

export interface ClaimLogOptions extends IrreversibleOptions {
  readonly reason: string;
}

/** A server with the previous keys may run: it keeps them until it starts again, which fails. */
export const claimLog = async (
  options: ClaimLogOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  await confirm(CONFIRMATION, options, invocation);
  const { reason } = options;
  return withLog(invocation, async (settings, eventStore) => {
    const setId = await keySetIdOf(settings);
    const record = new LoggedInstallationKey(eventStore, systemClock);
    const previous = await record.claimKeySet(setId, reason, contextOf(randomUUID(), 'cli'));
    const isClaimed = previous !== setId;
    const text = isClaimed
      ? [
          `The log is claimed: its subject keys are the set ${setId} from here on.`,
          `  Personal data that is sealed with keys of the set ${previous} cannot be read here.`,
          '  Stop each process that still uses those keys.',
        ].join('\n')
      : `The log names the subject keys ${setId} already; there is nothing to claim.`;
    return { json: { claimed: isClaimed, key_set: setId, previous_key_set: previous }, text };
  });
};

const CONFIRMATION = {
  word: 'claim',
  consequence: 'Personal data that is sealed with the keys before cannot be read here any more.',
  otherwise: 'the log was not claimed',
};
