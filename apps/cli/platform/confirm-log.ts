import { randomUUID } from 'node:crypto';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../../composition/areas.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface ConfirmLogOptions extends CommonOptions {
  readonly reason: string;
}

/** Gateways look every five seconds, forget what they remember, and admit paid work again. */
export const confirmLog = (
  { reason }: ConfirmLogOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withInstallation(invocation, 'exists', async ({ engines }) => {
    const { standing } = new Runtime(engines, areas);
    const lost = await standing.confirm(reason, contextOf(randomUUID(), 'cli'));
    const text =
      lost === 0
        ? 'The log is confirmed. It has everything that the read models have read; running ' +
          'processes forget what they remember, and read it again within seconds.'
        : [
            `The log is confirmed: ${lost} read models had read events that it lacks.`,
            '  Paid work is admitted again within seconds. Delete the read models, which are of',
            '  the other log: they are built again at the next start.',
          ].join('\n');
    return { json: { confirmed: lost }, text };
  });
