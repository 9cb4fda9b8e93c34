import { type CommandContext } from '#platform/runtime/command-context.js';

/** Gives a user an account to be billed on; opening it again is nothing new. */
export interface AccountOpener {
  open(accountId: string, context: CommandContext): Promise<void>;
}
export const ACCOUNT_OPENER = Symbol('AccountOpener');
