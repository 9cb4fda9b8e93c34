import { randomBytes } from 'node:crypto';
import { Role } from '#events/identity/identity.vocabulary.js';
import { reject } from '../identity.errors.js';

export const USERNAME_PATTERN = /^[a-zA-Z0-9._@-]{3,64}$/;
export const EMAIL_LENGTH_MAX = 254;
const EMAIL_PATTERN = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u;
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 1_024;
const GENERATED_BYTES = 18;
export const APP_NAME_LENGTH_MAX = 128;
export const DEVICE_INFO_LENGTH_MAX = 256;

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly role: string;
  readonly password: string;
}

/**
 * @throws DomainError `invalid_username`, `invalid_email`, `invalid_role`, `invalid_password`,
 *   checked in this order
 */
export const checkNewUser = ({ username, email, role, password }: NewUser): Role => {
  if (!USERNAME_PATTERN.test(username)) {
    reject('invalid_username', 'username: 3 to 64 letters, digits, or any of . _ @ -');
  }
  if (!EMAIL_PATTERN.test(email) || email.length > EMAIL_LENGTH_MAX) {
    reject('invalid_email', 'email: not an address');
  }
  const checked = Role.safeParse(role);
  if (!checked.success) {
    return reject('invalid_role', `role: one of ${Role.options.join(', ')}`);
  }
  checkPassword(password);
  return checked.data;
};

/** @throws DomainError `invalid_password` */
export const checkPassword = ({ length }: string): void => {
  if (length >= PASSWORD_LENGTH_MIN && length <= PASSWORD_LENGTH_MAX) return;
  reject(
    'invalid_password',
    `password: ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
  );
};

/** 144 random bits. */
export const generatedPassword = (): string => randomBytes(GENERATED_BYTES).toString('base64url');
