import { type AttemptEnd, type LeftAttempt } from '#platform/idempotency/answer-store.port.js';
import { type LeftRequest } from '#platform/ledger/left-request.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { AttemptSettler, type SettlingRequest } from './attempt-settler.js';

/**
 * Settles attempts that hold under their own id: the area reads the account's stream, releases an
 * open hold, and finds a charge.
 */
export abstract class LeftRequestSettler extends AttemptSettler {
  settle(
    { attempt, startedAtMs }: LeftAttempt,
    { caller: { accountId }, context }: SettlingRequest,
  ): Promise<AttemptEnd> {
    return this.settleLeft({ accountId, requestId: attempt, startedAtMs }, context);
  }

  protected abstract settleLeft(left: LeftRequest, context: CommandContext): Promise<AttemptEnd>;
}
