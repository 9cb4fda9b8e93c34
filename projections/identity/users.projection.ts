import { type Role } from '#events/identity/identity.vocabulary.js';
import {
  PasswordChanged,
  TwoFactorDisabled,
  TwoFactorEnabled,
  UserDisabled,
  UserEnabled,
  UserErased,
  UserRegistered,
  UserRoleChanged,
} from '#events/identity/user.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A user as the log has one. The names are sealed, and unreadable after an erasure. */
export interface ListedUser {
  readonly userId: number;
  readonly status: 'active' | 'disabled' | 'erased';
  readonly role: Role;
  readonly sealedUsername: string;
  readonly sealedEmail: string;
  readonly twoFactor: boolean;
  /** ISO 8601 UTC. */
  readonly registeredAt: string;
  /** ISO 8601 UTC; null: the password is the first one. */
  readonly passwordChangedAt: string | null;
}

const events = {
  UserRegistered,
  UserDisabled,
  UserEnabled,
  UserRoleChanged,
  PasswordChanged,
  TwoFactorEnabled,
  TwoFactorDisabled,
  UserErased,
};

type UsersEvent =
  | UserRegistered
  | UserDisabled
  | UserEnabled
  | UserRoleChanged
  | PasswordChanged
  | TwoFactorEnabled
  | TwoFactorDisabled
  | UserErased;

const DIGITS = 16;

/** In the order of the ids. */
export const userKey = (userId: number): string => String(userId).padStart(DIGITS, '0');

const missing: ListedUser = {
  userId: 0,
  status: 'erased',
  role: 'renter',
  sealedUsername: '',
  sealedEmail: '',
  twoFactor: false,
  registeredAt: '',
  passwordChangedAt: null,
};

const project = ({ type, data }: UsersEvent, user: ListedUser): ListedUser => {
  switch (type) {
    case 'UserRegistered': {
      const { userId, role, sealedUsername, sealedEmail, registeredAt } = data;
      const names = { sealedUsername, sealedEmail };
      return { ...missing, userId, status: 'active', role, ...names, registeredAt };
    }
    case 'UserDisabled':
      return { ...user, status: 'disabled' };
    case 'UserEnabled':
      return { ...user, status: 'active' };
    case 'UserRoleChanged':
      return { ...user, role: data.role };
    case 'PasswordChanged':
      return { ...user, passwordChangedAt: data.changedAt };
    case 'TwoFactorEnabled':
      return { ...user, twoFactor: true };
    case 'TwoFactorDisabled':
      return { ...user, twoFactor: false };
    case 'UserErased':
      return { ...user, status: 'erased' };
  }
};

/** The users of the installation. */
export const users: Projection<UsersEvent, ListedUser> = {
  name: 'users',
  version: 1,
  on: events,
  keys: ({ data }) => [userKey(data.userId)],
  initial: () => missing,
  project,
};
