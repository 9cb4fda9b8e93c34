import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type JobId } from '#events/jobs/job.events.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { PortPool } from '../ports/port-pool.js';

/** The commands of the saga; each may come twice. */
abstract class OnRental extends Command<void> {
  constructor(
    readonly rentalId: JobId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class EndRentalCommand extends OnRental {}
export class ReclaimPortsCommand extends OnRental {}

@CommandHandler(EndRentalCommand)
export class EndRentalHandler implements ICommandHandler<EndRentalCommand> {
  constructor(private readonly ports: PortPool) {}

  execute({ rentalId, context }: EndRentalCommand): Promise<void> {
    return this.ports.release(rentalId, 'ended', context);
  }
}

@CommandHandler(ReclaimPortsCommand)
export class ReclaimPortsHandler implements ICommandHandler<ReclaimPortsCommand> {
  constructor(
    private readonly ports: PortPool,
    private readonly streams: JobStreams,
  ) {}

  async execute({ rentalId, context }: ReclaimPortsCommand): Promise<void> {
    const { status } = await this.streams.stateOf(rentalId);
    if (status === 'absent') await this.ports.release(rentalId, 'not_submitted', context);
  }
}
