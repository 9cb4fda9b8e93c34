import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type ReceivedDeposit, type ReturnedDeposit } from './received-deposit.js';

/** Where accounts are credited and deposits taken back; the composition binds it to billing. */
export abstract class Deposits {
  abstract credit(deposit: ReceivedDeposit, context: CommandContext): Promise<void>;

  abstract reverse(deposit: ReturnedDeposit, context: CommandContext): Promise<void>;
}
