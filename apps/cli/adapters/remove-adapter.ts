import { RemoveAdapterCommand } from '#areas/adapters/remove-adapter.handler.js';
import { confirm } from '../confirmation.js';
import { type Invocation, type IrreversibleOptions, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { ADAPTER_NEEDS } from './adapter-needs.js';

export interface RemoveAdapterOptions extends IrreversibleOptions {
  readonly user: string;
  readonly adapter: string;
}

export const removeAdapter = async (
  options: RemoveAdapterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { user, adapter } = options;
  const consequence = `This deletes the weights of the adapter ${adapter} of ${user}.`;
  const otherwise = 'nothing was removed';
  await confirm({ word: adapter, consequence, otherwise }, options, invocation);
  const { adapterId, slug } = await withQuipu(invocation, ADAPTER_NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    const accountId = await accountOf({ queries }, user);
    return commands.execute(new RemoveAdapterCommand(accountId, adapter, context()));
  });
  return {
    json: { adapter_id: adapterId, slug },
    text: `The adapter ${slug} (${adapterId}) is removed.`,
  };
};
