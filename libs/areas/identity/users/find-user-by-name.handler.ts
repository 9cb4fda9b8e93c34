import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type Projections } from '#platform/runtime/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { usersByName } from '#projections/identity/users-by-name.projection.js';
import { type ListedUser, users } from '#projections/identity/users.projection.js';
import { accountIdOf } from '../authentication/caller.js';
import { NameIndex } from '../names/name-index.js';
import { PersonalData } from './personal-data.js';

export interface FoundUser {
  readonly userId: number;
  readonly accountId: string;
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  /** ISO 8601 UTC. */
  readonly registeredAt: string;
  /** The log position that the answer reflects. */
  readonly position: bigint;
}

/** Finds the user with this username. User names are case-insensitive. */
export class FindUserByNameQuery extends Query<FoundUser | null> {
  constructor(readonly username: string) {
    super();
  }
}

@QueryHandler(FindUserByNameQuery)
export class FindUserByNameHandler implements IQueryHandler<FindUserByNameQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly names: NameIndex,
    private readonly personalData: PersonalData,
  ) {}

  async execute({ username }: FindUserByNameQuery): Promise<FoundUser | null> {
    const nameHash = this.names.hashOf('username', username);
    const { document: name } = await this.projections.get(usersByName, nameHash);
    if (!name) return null;
    const { userId } = name;
    const found = await this.projections.get(users, String(userId));
    return found.document ? this.#open(found.document, found.position) : null;
  }

  async #open(
    { userId, role, registeredAt, sealedUsername, sealedEmail }: ListedUser,
    position: bigint,
  ): Promise<FoundUser | null> {
    const username = await this.personalData.open(userId, 'username', sealedUsername);
    const email = await this.personalData.open(userId, 'email', sealedEmail);
    if (username === null || email === null) return null;
    const accountId = accountIdOf(userId);
    return { userId, accountId, username, email, role, registeredAt, position };
  }
}
