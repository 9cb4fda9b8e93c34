import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountReceipt, type Accounts, accountStream } from './accounts.js';

export const runOnAccount = async (
  accounts: Accounts,
  command: AccountCommand,
  context: CommandContext,
): Promise<AccountReceipt> => {
  const stream = accountStream(command.data.accountId);
  const { events, eventIds, state, position } = await accounts.run(stream, command, context);
  const eventId = eventIds.at(-1) ?? null;
  return { eventId, events, availableMicroUsd: state.available, position };
};
