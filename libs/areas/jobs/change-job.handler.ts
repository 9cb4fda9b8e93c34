import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { ChangeJobCommand, type JobOutcome } from '#platform/jobs/job.commands.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { CLOCK } from '#platform/runtime/tokens.js';

@CommandHandler(ChangeJobCommand)
export class ChangeJobHandler implements ICommandHandler<ChangeJobCommand> {
  constructor(
    private readonly streams: JobStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ command, context }: ChangeJobCommand): Promise<JobOutcome> {
    const stated = typeof command === 'function' ? command(instant(this.clock)) : command;
    return this.streams.run(stated, context);
  }
}
