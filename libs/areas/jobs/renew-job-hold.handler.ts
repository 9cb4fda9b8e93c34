import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { instantOf } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type HeldJob, JobFunds } from './job-funds.js';
import { JOB_SETTINGS, type JobSettings } from './jobs.settings.js';

/** Renews the hold of an open job; pauses the job when its account cannot pay. */
export class RenewJobHoldCommand extends Command<void> {
  constructor(
    readonly job: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RenewJobHoldCommand)
export class RenewJobHoldHandler implements ICommandHandler<RenewJobHoldCommand> {
  constructor(
    private readonly funds: JobFunds,
    private readonly streams: JobStreams,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ job: { jobId }, context }: RenewJobHoldCommand): Promise<void> {
    const held = await this.funds.openJob(jobId);
    if (!held) return;
    if (held.job.status === 'paused' || !(await this.#extend(held, context))) {
      await this.funds.prolong(held, context);
    }
  }

  /** False when the job was paused instead. */
  async #extend(held: HeldJob, context: CommandContext): Promise<boolean> {
    try {
      await this.funds.extend(held, context);
      return true;
    } catch (error) {
      if (!isUnpayable(error)) throw error;
    }
    const { jobId } = held.job.order;
    const pausedAt = instant(this.clock);
    const until = instantOf(this.clock.now() + this.settings.fundsWaitMs);
    const data = { jobId, reason: 'insufficient_funds', pausedAt, until } as const;
    await this.streams.run({ type: 'PauseJob', data }, context);
    return false;
  }
}
