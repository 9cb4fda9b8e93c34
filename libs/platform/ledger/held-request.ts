import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { type Release } from './hold.js';

/** A request whose caller waits, as it came. */
export interface WaitingRequest {
  /** In milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

interface Held {
  release(reason: Release['reason']): Promise<void>;
}

/**
 * To be called once the hold is written, before any work. The process may have stood still before
 * that: a retry that came meanwhile has found no hold, and has gone ahead.
 * @param msMax the time that a request has
 * @throws RequestCutError when the hold came too late, and is released again
 */
export const demandCurrent = async (
  request: WaitingRequest,
  held: Held,
  msMax: number,
  clock: Clock,
): Promise<void> => {
  if (await isCurrent(request, held, msMax, clock)) return;
  await held.release('timed_out').catch(unlessNotOpen);
  throw new RequestCutError('timed_out');
};

const isCurrent = async (
  { receivedAtMs, confirm }: WaitingRequest,
  held: Held,
  msMax: number,
  clock: Clock,
): Promise<boolean> => {
  if (clock.now() - receivedAtMs >= msMax) return false;
  try {
    return (await confirm?.()) ?? true;
  } catch (error) {
    await held.release('internal_error');
    throw error;
  }
};

/** A retry that took the request over has released its hold already. */
const unlessNotOpen = (error: unknown): void => {
  if (!(error instanceof DomainError) || error.code !== 'hold_not_open') throw error;
};
