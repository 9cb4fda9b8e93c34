import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { accountIdOf } from '../authentication/caller.js';
import { UserDirectory } from '../users/user-directory.js';
import { AccountViews } from './account-views.js';

/**
 * Finds the account id of a user by username. User names are case-insensitive.
 *
 * @throws DomainError `user_not_found`
 */
export class AccountOfUserQuery extends Query<string> {
  constructor(readonly username: string) {
    super();
  }
}

/** Reads the event log, so it needs no read model. */
@QueryHandler(AccountOfUserQuery)
export class AccountOfUserHandler implements IQueryHandler<AccountOfUserQuery> {
  constructor(
    private readonly directory: UserDirectory,
    private readonly views: AccountViews,
  ) {}

  async execute({ username }: AccountOfUserQuery): Promise<string> {
    // An interrupted erasure leaves the name assigned: only the user's own stream ends the user.
    const { userId } = await this.views.userOf(await this.directory.idOf(username));
    return accountIdOf(userId);
  }
}
