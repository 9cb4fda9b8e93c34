import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type PartnerCommand } from './partner.decider.js';
import { PartnerStreams, partnerStream } from './partner-streams.js';

/** Changes the profile or the revenue share of a partner. */
export class ChangePartnerCommand extends Command<void> {
  constructor(
    readonly change: Exclude<PartnerCommand, { readonly type: 'RegisterPartner' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangePartnerCommand)
export class ChangePartnerHandler implements ICommandHandler<ChangePartnerCommand> {
  constructor(private readonly streams: PartnerStreams) {}

  /** @throws DomainError `partner_not_found`, `share_above_ceiling` */
  async execute({ change, context }: ChangePartnerCommand): Promise<void> {
    await this.streams.partners.run(partnerStream(change.data.partnerId), change, context);
  }
}
