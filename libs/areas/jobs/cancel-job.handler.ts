import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { JobAccess } from './job-access.js';

/** Stops a job that the reader may see; an ended job stays as it is. */
export class CancelJobCommand extends Command<void> {
  constructor(
    /** As a caller sent it. */
    readonly jobId: string,
    readonly reader: Reader,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CancelJobCommand)
export class CancelJobHandler implements ICommandHandler<CancelJobCommand> {
  constructor(
    private readonly jobs: Jobs,
    private readonly access: JobAccess,
  ) {}

  /** @throws DomainError `job_not_found` */
  async execute({ jobId, reader, context }: CancelJobCommand): Promise<void> {
    const { order } = await this.access.find(jobId, reader);
    await this.jobs.cancel(order.jobId, context);
  }
}
