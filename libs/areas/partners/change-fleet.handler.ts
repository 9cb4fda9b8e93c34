import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type FleetCommand } from './fleet.decider.js';
import { fleetStream, PartnerStreams } from './partner-streams.js';

/** Puts a rig into the fleet of a partner, or takes it out. */
export class ChangeFleetCommand extends Command<void> {
  constructor(
    readonly change: FleetCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeFleetCommand)
export class ChangeFleetHandler implements ICommandHandler<ChangeFleetCommand> {
  constructor(private readonly streams: PartnerStreams) {}

  /** @throws DomainError `partner_not_found`, `rig_in_fleet`, `rig_not_in_fleet` */
  async execute({ change, context }: ChangeFleetCommand): Promise<void> {
    await this.streams.demandPartner(change.data.partnerId);
    await this.streams.fleet.run(fleetStream(change.data.rig), change, context);
  }
}
