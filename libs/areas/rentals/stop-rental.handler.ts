import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { RentalAccess } from './rental-access.js';

/** Stops a rental; one that has ended stays as it is. */
export class StopRentalCommand extends Command<void> {
  constructor(
    readonly number: number,
    readonly reader: Reader,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(StopRentalCommand)
export class StopRentalHandler implements ICommandHandler<StopRentalCommand> {
  constructor(
    private readonly access: RentalAccess,
    private readonly jobs: Jobs,
  ) {}

  /** @throws DomainError `rental_not_found` */
  async execute({ number, reader, context }: StopRentalCommand): Promise<void> {
    const { rentalId } = await this.access.find(number, reader);
    await this.jobs.cancel(rentalId, context);
  }
}
