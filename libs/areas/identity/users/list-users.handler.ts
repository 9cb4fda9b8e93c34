import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { type ListedUser, users } from '#projections/identity/users.projection.js';
import { accountIdOf } from '../authentication/caller.js';
import { PersonalData } from './personal-data.js';

/** A user as an operator sees one. */
export interface UserView extends Omit<ListedUser, 'sealedUsername' | 'sealedEmail'> {
  readonly accountId: string;
  /** Null: the user was erased. */
  readonly username: string | null;
  readonly email: string | null;
}

export interface UserPage {
  readonly users: readonly UserView[];
  readonly total: number;
  /** The log position that the page reflects. */
  readonly position: bigint;
}

/** The users in the order of their ids. */
export class UsersQuery extends Query<UserPage> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(UsersQuery)
export class UsersHandler implements IQueryHandler<UsersQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
    private readonly personalData: PersonalData,
  ) {}

  async execute(page: UsersQuery): Promise<UserPage> {
    const { documents, total, position } = await numberedPage(this.projections, users, page);
    const found = documents.map(({ document }) => this.#viewOf(document));
    return { users: await Promise.all(found), total, position };
  }

  async #viewOf({ sealedUsername, sealedEmail, ...user }: ListedUser): Promise<UserView> {
    const { userId } = user;
    return {
      ...user,
      accountId: accountIdOf(userId),
      username: await this.personalData.open(userId, 'username', sealedUsername),
      email: await this.personalData.open(userId, 'email', sealedEmail),
    };
  }
}
