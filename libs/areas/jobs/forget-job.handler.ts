import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type BlobRole } from '#platform/jobs/job.saga.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';

const ROLES: readonly BlobRole[] = ['input', 'checkpoint', 'result'];

/** Releases the blobs of a job that ended long ago. */
export class ForgetJobCommand extends Command<void> {
  constructor(
    readonly job: { readonly jobId: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ForgetJobCommand)
export class ForgetJobHandler implements ICommandHandler<ForgetJobCommand> {
  constructor(
    private readonly streams: JobStreams,
    private readonly blobs: JobBlobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ job, context }: ForgetJobCommand): Promise<void> {
    const state = await this.streams.stateOf(job.jobId);
    if (state.status === 'absent') return;
    const { order, checkpoint, result } = state;
    const { jobId, accountId } = order;
    const data = { jobId, forgottenAt: instant(this.clock) };
    await this.streams.run({ type: 'ForgetJob', data }, context);
    const blobs = { input: order.input, checkpoint, result };
    for (const role of ROLES) {
      const address = blobs[role]?.address;
      if (address) await this.blobs.release({ jobId, accountId, role, address });
    }
  }
}
