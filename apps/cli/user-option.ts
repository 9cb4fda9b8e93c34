import { type QueryBus } from '@nestjs/cqrs';
import { UserId } from '#events/vocabulary.js';
import { AccountOfUserQuery } from '#areas/identity/accounts/account-of-user.handler.js';
import { CommandFailure, isDomainError } from './command-failure.js';

const userNotFound = (option: string, username: string): CommandFailure =>
  new CommandFailure('user_not_found', `${option}: there is no user ${username}`);

/** @throws CommandFailure `user_not_found`, naming the option that gave the user */
export const ofUser = async <Result>(
  option: string,
  username: string,
  work: Promise<Result>,
): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    const isUnknown = isDomainError(error) && error.code === 'user_not_found';
    throw isUnknown ? userNotFound(option, username) : error;
  }
};

/** The user that `--user` names, whose account has the same id. @throws CommandFailure */
export const userIdOf = async (
  context: { readonly queries: QueryBus },
  user: string,
): Promise<UserId> => UserId.parse(Number(await accountOf(context, user)));

/** The account of the user that `--user` names. @throws CommandFailure `user_not_found` */
export const accountOf = (
  { queries }: { readonly queries: QueryBus },
  user: string,
): Promise<string> => ofUser('--user', user, queries.execute(new AccountOfUserQuery(user)));
