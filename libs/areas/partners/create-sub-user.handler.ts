import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { membershipStream, PartnerStreams } from './partner-streams.js';
import { type NewSubUser, PartnerUsers } from './partner-users.port.js';

/** Registers a user who belongs to a partner from the start. */
export class CreateSubUserCommand extends Command<UserId> {
  constructor(
    readonly data: NewSubUser & { readonly partnerId: PartnerId },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** A crash in between leaves a user without a partner, whom an Admin can add. */
@CommandHandler(CreateSubUserCommand)
export class CreateSubUserHandler implements ICommandHandler<CreateSubUserCommand> {
  constructor(
    private readonly streams: PartnerStreams,
    private readonly users: PartnerUsers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `partner_not_found`; as `PartnerUsers.register` does */
  async execute({ data, context }: CreateSubUserCommand): Promise<UserId> {
    const { partnerId, ...user } = data;
    await this.streams.demandPartner(partnerId);
    const userId = await this.users.register(user, context);
    const joined = {
      userId,
      accountId: String(userId),
      partnerId,
      capacity: 'sub_user',
      joinedAt: instant(this.clock),
    } as const;
    const command = { type: 'JoinPartner', data: joined } as const;
    await this.streams.memberships.run(membershipStream(userId), command, context);
    return userId;
  }
}
