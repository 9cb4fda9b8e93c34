import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';

/** The users of the installation. The composition root binds it. */
export abstract class InvestorUsers {
  /** Null for an unknown or erased user. */
  abstract roleOf(userId: UserId): Promise<Role | null>;
}
