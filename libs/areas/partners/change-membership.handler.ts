import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Capacity, type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { membershipStream, PartnerStreams } from './partner-streams.js';
import { PartnerUsers } from './partner-users.port.js';
import { reject } from './partners.errors.js';

export interface Member {
  readonly partnerId: PartnerId;
  readonly userId: UserId;
  readonly capacity: Capacity;
}

/** Adds an existing user to a partner. */
export class JoinPartnerCommand extends Command<void> {
  constructor(
    readonly member: Member,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(JoinPartnerCommand)
export class JoinPartnerHandler implements ICommandHandler<JoinPartnerCommand> {
  constructor(
    private readonly streams: PartnerStreams,
    private readonly users: PartnerUsers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `partner_not_found`, `sub_user_not_found`, `not_a_partner_user`,
   *   `member_of_partner`
   */
  async execute({ member, context }: JoinPartnerCommand): Promise<void> {
    const { partnerId, userId, capacity } = member;
    await this.streams.demandPartner(partnerId);
    const user = await this.users.find(userId);
    if (!user) return reject('sub_user_not_found', `there is no user ${userId}`);
    if (capacity === 'manager' && user.role !== 'Partner') {
      return reject('not_a_partner_user', `user ${userId} has the role ${user.role}, not Partner`);
    }
    const data = { ...member, accountId: user.accountId, joinedAt: instant(this.clock) };
    const command = { type: 'JoinPartner', data } as const;
    await this.streams.memberships.run(membershipStream(userId), command, context);
  }
}

/** Takes a user from a partner. An erased user can still be taken. */
export class LeavePartnerCommand extends Command<void> {
  constructor(
    readonly member: Member,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(LeavePartnerCommand)
export class LeavePartnerHandler implements ICommandHandler<LeavePartnerCommand> {
  constructor(
    private readonly streams: PartnerStreams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `sub_user_not_found` */
  async execute({ member, context }: LeavePartnerCommand): Promise<void> {
    const stream = membershipStream(member.userId);
    const data = { ...member, accountId: String(member.userId), leftAt: instant(this.clock) };
    await this.streams.memberships.run(stream, { type: 'LeavePartner', data }, context);
  }
}
