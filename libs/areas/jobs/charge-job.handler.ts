import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type EndedStatus, isEnded, type JobState } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { JobTypes } from '#platform/jobs/job-type.js';
import {
  type EndedProcess,
  PaidProcesses,
  type UsedProcess,
} from '#platform/ledger/paid-work/paid-process.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type HeldJob, holdOf } from './job-funds.js';

/** Charges an ended job for its usage, or frees its hold. */
export class ChargeJobCommand extends Command<void> {
  constructor(
    readonly job: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** An ended job that is not settled. */
interface Due extends HeldJob {
  readonly outcome: EndedStatus;
  readonly endedAt: string;
}

@CommandHandler(ChargeJobCommand)
export class ChargeJobHandler implements ICommandHandler<ChargeJobCommand> {
  constructor(
    private readonly processes: PaidProcesses,
    private readonly streams: JobStreams,
    private readonly types: JobTypes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ job: { jobId }, context }: ChargeJobCommand): Promise<void> {
    const due = dueOf(await this.streams.stateOf(jobId));
    if (!due) return;
    const { outcome, amount } = isCharged(due)
      ? await this.processes.charge(this.#usedBy(due), context)
      : await this.processes.free(endedOf(due), context);
    const settledAt = instant(this.clock);
    const settled = { outcome, amountMicroUsd: toDecimal(amount), settledAt };
    const data = { jobId: due.job.order.jobId, ...settled };
    await this.streams.run({ type: 'SettleJob', data }, context);
  }

  #usedBy(due: Due): UsedProcess {
    const { job, outcome } = due;
    const { jobId, type, summary } = job.order;
    const { attempt: attempts, resultSummary: result, progress, usage } = job;
    const ended = { jobId, outcome, attempts, summary, result, shown: result ?? progress };
    const price = this.types.of(type).price;
    const model = price?.model?.(ended);
    return {
      ...endedOf(due),
      usage,
      usageSource: 'counted',
      evidence: price?.evidence(ended) ?? {},
      jobId,
      ...(model !== undefined && { model }),
    };
  }
}

const endedOf = ({ job, hold, outcome: status, endedAt }: Due): EndedProcess => ({
  hold: holdOf(job.order, hold),
  status,
  endedAt,
});

const dueOf = (job: JobState): Due | undefined => {
  if (job.status === 'absent' || !isEnded(job) || job.isSettled) return undefined;
  const { hold, endedAt, status: outcome } = job;
  return hold === null || endedAt === null ? undefined : { job, hold, endedAt, outcome };
};

/** A completed job is on the statement even when it has used nothing. */
const isCharged = ({ job, hold, outcome }: Due): boolean => {
  if (outcome === 'completed') return true;
  const used = job.usage.some(({ quantity }) => quantity > 0);
  return used && hold.whenUnfinished === 'what_was_used';
};
