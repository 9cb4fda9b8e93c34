import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type JobHold } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { instantOf, isEnded, type SubmittedJob, timeOf } from '#platform/jobs/job.state.js';
import { missingLines } from '#platform/jobs/job.usage.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { PaidProcesses, type ProcessHold } from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';

/** How long a hold lasts without a renewal. */
export const HOLD_MS = 15 * 60_000;
/** A renewal moves the deadline by a multiple of this. */
const PERIOD_MS = 5 * 60_000;

/** A job and its hold. */
export interface HeldJob {
  readonly job: SubmittedJob;
  readonly hold: JobHold;
}

/** Keeps the hold of an open job alive, and large enough. */
@Injectable()
export class JobFunds {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly streams: JobStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Undefined for a job that is not open or costs nothing. */
  async openJob(jobId: string): Promise<HeldJob | undefined> {
    const job = await this.streams.stateOf(jobId);
    if (job.status === 'absent' || isEnded(job) || job.hold === null) return undefined;
    return { job, hold: job.hold };
  }

  /**
   * Gives the hold a later deadline, and adds what the next period may use.
   * @throws DomainError `insufficient_balance` or `budget_exceeded`: the hold lasts as it is
   */
  extend(held: HeldJob, context: CommandContext): Promise<void> {
    const { job, hold } = held;
    return this.#renew(held, missingLines(hold.lines, job.usage, hold.ahead), context);
  }

  /**
   * Gives the hold a later deadline only, so that what was used stays held. An open hold costs
   * nothing more; one that has expired stays so if the account cannot pay.
   */
  async prolong(held: HeldJob, context: CommandContext): Promise<void> {
    try {
      await this.#renew(held, [], context);
    } catch (error) {
      if (!isUnpayable(error)) throw error;
    }
  }

  async #renew(held: HeldJob, added: readonly PriceLine[], context: CommandContext): Promise<void> {
    const expiresAt = this.#deadlineAfter(held.hold.expiresAt);
    const { order } = held.job;
    const renewedAt = instant(this.clock);
    const period = { lines: added, expiresAt, renewedAt };
    const { lines } = await this.processes.renew(holdOf(order, held.hold), period, context);
    const data = { jobId: order.jobId, lines: [...lines], expiresAt, renewedAt };
    await this.streams.run({ type: 'RenewJob', data }, context);
  }

  /** A renewal that is repeated within a period has the same deadline: it is the same renewal. */
  #deadlineAfter(expiresAt: string): string {
    const lackMs = this.clock.now() + HOLD_MS - timeOf(expiresAt);
    const periods = Math.max(1, Math.floor(lackMs / PERIOD_MS));
    return instantOf(timeOf(expiresAt) + periods * PERIOD_MS);
  }
}

/** The hold of a job in the words of the ledger. */
export const holdOf = (
  { accountId }: Pick<SubmittedJob['order'], 'accountId'>,
  { whenUnfinished: _, ahead: __, ...terms }: JobHold,
): ProcessHold => ({ accountId, ...terms });
