import { type UserId } from '#events/vocabulary.js';

/** The addresses of users, which another area keeps. The class is the injection token. */
export abstract class OwnerMail {
  /** Null for a user who is erased. */
  abstract addressOf(userId: UserId): Promise<string | null>;
}
