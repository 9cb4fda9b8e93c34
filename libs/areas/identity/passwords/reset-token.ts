import { randomBytes } from 'node:crypto';
import { UserId } from '#events/vocabulary.js';
import { CREDENTIAL_PREFIXES } from '../authentication/credentials.js';

const SECRET_BYTES = 32;
const TOKEN = new RegExp(`^${CREDENTIAL_PREFIXES.reset}([1-9]\\d{0,15})_[\\w-]{43}$`);

/** The prefix, the id of the user and 256 random bits. */
export const mintResetToken = (userId: UserId): string =>
  `${CREDENTIAL_PREFIXES.reset}${userId}_${randomBytes(SECRET_BYTES).toString('base64url')}`;

/** Null for a text of another form. */
export const userOfResetToken = (token: string): UserId | null => {
  const parsed = UserId.safeParse(Number(TOKEN.exec(token)?.[1]));
  return parsed.success ? parsed.data : null;
};
