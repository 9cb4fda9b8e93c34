import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { JobFunds } from './job-funds.js';

/** Resumes a paused job if its account can pay now. */
export class RetryJobFundsCommand extends Command<void> {
  constructor(
    readonly job: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetryJobFundsCommand)
export class RetryJobFundsHandler implements ICommandHandler<RetryJobFundsCommand> {
  constructor(
    private readonly funds: JobFunds,
    private readonly streams: JobStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ job: { jobId }, context }: RetryJobFundsCommand): Promise<void> {
    const held = await this.funds.openJob(jobId);
    if (held?.job.status !== 'paused') return;
    try {
      await this.funds.extend(held, context);
    } catch (error) {
      if (isUnpayable(error)) return;
      throw error;
    }
    const data = { jobId: held.job.order.jobId, resumedAt: instant(this.clock) };
    await this.streams.run({ type: 'ResumeJob', data }, context);
  }
}
