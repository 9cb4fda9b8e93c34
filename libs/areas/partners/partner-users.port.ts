import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** A user as the area that keeps users shows it. */
export interface PartnerUser {
  readonly userId: UserId;
  readonly accountId: string;
  readonly role: Role;
  readonly username: string;
  readonly email: string;
}

export interface NewSubUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** The users of the installation. The composition root binds it. */
export abstract class PartnerUsers {
  /** Null for an unknown or erased user. */
  abstract find(userId: UserId): Promise<PartnerUser | null>;

  /**
   * Registers a renter with an account.
   * @throws DomainError for a name or address that is taken or not valid, and for a short password
   */
  abstract register(user: NewSubUser, context: CommandContext): Promise<UserId>;
}
