import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, followUp } from '#platform/runtime/command-context.js';
import { type HoldEnd } from './hold.js';
import { type Ledger } from './ledger.port.js';

/** A request that holds under its own id, and whose process ended or could not tell its charge. */
export interface LeftRequest {
  readonly accountId: string;
  readonly requestId: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/**
 * Finds out whether a request was charged that was left; one that was not never will be.
 * @param context of the request that wants to know
 */
export const settleLeft = (
  ledger: Pick<Ledger, 'settle'>,
  clock: Clock,
  { accountId, requestId, startedAtMs }: LeftRequest,
  { requestId: id, correlationId, actor }: CommandContext,
): Promise<HoldEnd> =>
  ledger.settle(
    {
      accountId,
      holdId: requestId,
      notBefore: new Date(startedAtMs).toISOString(),
      reason: 'internal_error',
      releasedAt: instant(clock),
    },
    // The request has its own hold to release; its ids are derived in the same way.
    followUp({ id, correlationId }, `settle ${requestId}`, actor),
  );
