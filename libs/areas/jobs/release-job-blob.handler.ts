import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { type NamedBlob } from '#platform/jobs/job.saga.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** Releases a blob that the job has replaced. */
export class ReleaseJobBlobCommand extends Command<void> {
  constructor(
    readonly named: NamedBlob,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleaseJobBlobCommand)
export class ReleaseJobBlobHandler implements ICommandHandler<ReleaseJobBlobCommand> {
  constructor(private readonly blobs: JobBlobs) {}

  execute({ named }: ReleaseJobBlobCommand): Promise<void> {
    return this.blobs.release(named);
  }
}
