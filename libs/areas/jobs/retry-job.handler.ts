import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { JobAccess } from './job-access.js';

/** Repeats an ended job that the reader may see, as a job of its own. */
export class RetryJobCommand extends Command<JobId> {
  constructor(
    /** As a caller sent it. */
    readonly jobId: string,
    readonly reader: Reader,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetryJobCommand)
export class RetryJobHandler implements ICommandHandler<RetryJobCommand> {
  constructor(
    private readonly jobs: Jobs,
    private readonly access: JobAccess,
  ) {}

  /** @throws DomainError `job_not_found`, and the errors of `Jobs.retry` */
  async execute({ jobId, reader, context }: RetryJobCommand): Promise<JobId> {
    const { order } = await this.access.find(jobId, reader);
    return this.jobs.retry(order.jobId, context);
  }
}
