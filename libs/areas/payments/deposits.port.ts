import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type ReceivedDeposit } from './received-deposit.js';

/** Where accounts are credited; the composition binds it to billing. */
export abstract class Deposits {
  abstract credit(deposit: ReceivedDeposit, context: CommandContext): Promise<void>;
}
