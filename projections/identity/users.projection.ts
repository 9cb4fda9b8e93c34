import { type Role } from '#events/identity/identity.vocabulary.js';
import { UserErased, UserRegistered } from '#events/identity/user.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A user for operators; personal data stays sealed. */
export interface ListedUser {
  readonly userId: number;
  readonly role: Role;
  readonly tenant: string;
  readonly sealedUsername: string;
  readonly sealedEmail: string;
  /** ISO 8601 UTC. */
  readonly registeredAt: string;
}

type UsersEvent = UserRegistered | UserErased;

const missing: ListedUser = {
  userId: 0,
  role: 'renter',
  tenant: '',
  sealedUsername: '',
  sealedEmail: '',
  registeredAt: '',
};

const project = ({ type, data }: UsersEvent): ListedUser | null => {
  switch (type) {
    case 'UserRegistered': {
      const { userId, role, tenant, sealedUsername, sealedEmail, registeredAt } = data;
      return { userId, role, tenant, sealedUsername, sealedEmail, registeredAt };
    }
    case 'UserErased':
      return null;
  }
};

/** All users by id. */
export const users: Projection<UsersEvent, ListedUser> = {
  name: 'users',
  version: 1,
  on: { UserRegistered, UserErased },
  keys: ({ data }) => [String(data.userId)],
  initial: () => missing,
  project,
};
