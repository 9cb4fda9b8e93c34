import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { accountIdOf } from '../authentication/caller.js';
import { reject } from '../identity.errors.js';
import { PersonalData } from '../users/personal-data.js';
import { AccountViews } from './account-views.js';

/** A user as others who answer for the user may see it. */
export interface UserProfile {
  readonly userId: UserId;
  readonly accountId: string;
  readonly role: Role;
  readonly username: string;
  readonly email: string;
}

/** @throws DomainError `user_not_found`, also for an erased user */
export class UserProfileQuery extends Query<UserProfile> {
  constructor(readonly userId: UserId) {
    super();
  }
}

/** Reads the event log, so it needs no read model. */
@QueryHandler(UserProfileQuery)
export class UserProfileHandler implements IQueryHandler<UserProfileQuery> {
  constructor(
    private readonly views: AccountViews,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ userId }: UserProfileQuery): Promise<UserProfile> {
    const { role, sealedUsername, sealedEmail } = await this.views.userOf(userId);
    const username = await this.personalData.open(userId, 'username', sealedUsername);
    const email = await this.personalData.open(userId, 'email', sealedEmail);
    if (username === null || email === null) {
      return reject('user_not_found', 'there is no such user');
    }
    return { userId, accountId: accountIdOf(userId), role, username, email };
  }
}
