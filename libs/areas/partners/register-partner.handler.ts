import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PartnerRegistered } from '#events/partners/partner.events.js';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { NUMBERS_STREAM, PartnerStreams, partnerStream } from './partner-streams.js';

export type NewPartner = Omit<
  PartnerRegistered['data'],
  'partnerId' | 'registrationId' | 'registeredAt'
>;

/** Registers a partner under a new id. A retry of the request finds the same partner. */
export class RegisterPartnerCommand extends Command<PartnerId> {
  constructor(
    readonly data: NewPartner,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/**
 * The slug gets its id first. A crash in between leaves an id without a partner, which the next
 * registration of the slug uses.
 */
@CommandHandler(RegisterPartnerCommand)
export class RegisterPartnerHandler implements ICommandHandler<RegisterPartnerCommand> {
  constructor(
    private readonly streams: PartnerStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `partner_slug_taken`, `share_above_ceiling` */
  async execute({ data, context }: RegisterPartnerCommand): Promise<PartnerId> {
    const registeredAt = instant(this.clock);
    const numbering = { slug: data.slug, numberedAt: registeredAt };
    const { state: ids } = await this.streams.numbers.run(
      NUMBERS_STREAM,
      { type: 'NumberPartner', data: numbering },
      context,
    );
    const partnerId = ids.get(data.slug);
    if (partnerId === undefined) throw new Error(`the slug ${data.slug} has no id`);
    const registration = { ...data, partnerId, registrationId: context.requestId, registeredAt };
    await this.streams.partners.run(
      partnerStream(partnerId),
      { type: 'RegisterPartner', data: registration },
      context,
    );
    return partnerId;
  }
}
