import { type CommandBus, type QueryBus } from '@nestjs/cqrs';
import {
  type UserProfile,
  UserProfileQuery,
} from '#areas/identity/accounts/user-profile.handler.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import {
  type NewSubUser,
  type PartnerUser,
  PartnerUsers,
} from '#areas/partners/partner-users.port.js';
import { type UserId } from '#events/vocabulary.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** The users of a partner are users of identity. */
export class IdentityPartnerUsers extends PartnerUsers {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {
    super();
  }

  override find(userId: UserId): Promise<PartnerUser | null> {
    return profileOf(this.queries, userId);
  }

  override async register(user: NewSubUser, context: CommandContext): Promise<UserId> {
    const command = new CreateUserCommand({ ...user, role: 'renter' }, context);
    return (await this.commands.execute(command)).userId;
  }
}

/** Null for an unknown or erased user. */
export const profileOf = async (queries: QueryBus, userId: UserId): Promise<UserProfile | null> => {
  try {
    return await queries.execute(new UserProfileQuery(userId));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'user_not_found') return null;
    throw error;
  }
};
