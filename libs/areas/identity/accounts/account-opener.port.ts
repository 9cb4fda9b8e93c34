import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** Opens the billing account of a user. The composition root binds it. */
export abstract class AccountOpener {
  /** Idempotent: opening an open account changes nothing. */
  abstract open(accountId: string, context: CommandContext): Promise<void>;
}
