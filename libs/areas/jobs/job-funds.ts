import { Inject, Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type JobHold } from '#events/jobs/job.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { instantOf, isEnded, type SubmittedJob, timeOf } from '#platform/jobs/job.state.js';
import { missingLines } from '#platform/jobs/job.usage.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type HoldOrder, type PlacedHold } from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { type CommandContext, followUp } from '#platform/runtime/command-context.js';
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
    private readonly ledger: Ledger,
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

  /**
   * Holds again under the id of a hold that has expired.
   * @throws DomainError `insufficient_balance`, `budget_exceeded`
   */
  place({ job, hold }: HeldJob, context: CommandContext): Promise<PlacedHold> {
    const { accountId } = job.order;
    const terms = { accountId, ...holdTermsOf(hold) };
    return this.ledger.place({ ...terms, shrink: null, placedAt: instant(this.clock) }, context);
  }

  async #renew(held: HeldJob, added: readonly PriceLine[], context: CommandContext): Promise<void> {
    const expiresAt = this.#deadlineAfter(held.hold.expiresAt);
    const { lines } = await this.#renewed(held, added, expiresAt, context);
    const { jobId } = held.job.order;
    const data = { jobId, lines: [...lines], expiresAt, renewedAt: instant(this.clock) };
    await this.streams.run({ type: 'RenewJob', data }, context);
  }

  async #renewed(
    { job, hold }: HeldJob,
    added: readonly PriceLine[],
    expiresAt: string,
    context: CommandContext,
  ): Promise<PlacedHold> {
    const { accountId } = job.order;
    const { holdId, purpose } = hold;
    const renewedAt = instant(this.clock);
    const terms = { accountId, holdId, purpose, lines: [...added], expiresAt, renewedAt };
    try {
      return await this.ledger.renew(terms, ownContext(context, 'renew', added, expiresAt));
    } catch (error) {
      if (!isRejection(error, 'hold_not_open')) throw error;
    }
    const lines = [...hold.lines, ...added];
    const again = { job, hold: { ...hold, lines, expiresAt } };
    return this.place(again, ownContext(context, 'place', added, expiresAt));
  }

  /** A renewal that is repeated within a period has the same deadline: it is the same renewal. */
  #deadlineAfter(expiresAt: string): string {
    const lackMs = this.clock.now() + HOLD_MS - timeOf(expiresAt);
    const periods = Math.max(1, Math.floor(lackMs / PERIOD_MS));
    return instantOf(timeOf(expiresAt) + periods * PERIOD_MS);
  }
}

/** The hold of a job in the words of the ledger. */
export const holdTermsOf = ({
  holdId,
  purpose,
  lines,
  rateCardVersion,
  evidence,
  expiresAt,
  key,
}: JobHold): Omit<HoldOrder, 'accountId' | 'placedAt' | 'shrink'> => ({
  holdId,
  purpose,
  lines,
  rateCardVersion,
  evidence,
  expiresAt,
  ...(key !== undefined && { key }),
});

/** A repeat at a later time may be another renewal, so it has ids of its own. */
const ownContext = (
  { requestId: id, correlationId, actor }: CommandContext,
  what: string,
  added: readonly PriceLine[],
  expiresAt: string,
): CommandContext => followUp({ id, correlationId }, `${what} ${added.length} ${expiresAt}`, actor);

export const isRejection = (error: unknown, code: string): boolean =>
  error instanceof DomainError && error.code === code;

/** Whether the account cannot pay now: its balance or a budget does not cover the work. */
export const isUnpayable = (error: unknown): boolean =>
  isRejection(error, 'insufficient_balance') || isRejection(error, 'budget_exceeded');
