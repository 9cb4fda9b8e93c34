import { type Role } from '#events/identity/identity.vocabulary.js';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { type UserId } from '#events/vocabulary.js';

/** Who asks. */
export interface PayeeCaller {
  readonly userId: UserId;
  readonly role: Role;
}

/** For whom a user acts. The composition root binds it. */
export abstract class Beneficiaries {
  /**
   * The partner that a user with the role Partner manages, or the investor that the user is.
   * @throws DomainError for a user who acts for no one
   */
  abstract ofUser(caller: PayeeCaller): Promise<Beneficiary>;
}
