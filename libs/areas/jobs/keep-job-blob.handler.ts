import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { type NamedBlob } from '#platform/jobs/job.saga.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** Keeps a blob that an event of the job names. */
export class KeepJobBlobCommand extends Command<void> {
  constructor(
    readonly named: NamedBlob,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(KeepJobBlobCommand)
export class KeepJobBlobHandler implements ICommandHandler<KeepJobBlobCommand> {
  constructor(private readonly blobs: JobBlobs) {}

  execute({ named }: KeepJobBlobCommand): Promise<void> {
    return this.blobs.keep(named);
  }
}
