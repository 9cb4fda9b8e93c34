import { RemoveAdapterCommand } from '#areas/adapters/remove-adapter.handler.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';
import { ADAPTER_NEEDS } from './adapter-needs.js';

export interface RemoveAdapterOptions extends CommonOptions {
  readonly user: string;
  readonly adapter: string;
}

export const removeAdapter = async (
  { user, adapter }: RemoveAdapterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
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
