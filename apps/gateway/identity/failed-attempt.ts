import { type IdentityErrorCode } from '#areas/identity/identity.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { HttpFailure } from '../errors/http-failure.js';
import { INVALID_CREDENTIAL } from './identity.failures.js';

const GUESSES: readonly unknown[] = [
  'invalid_credentials',
  'invalid_otp',
  'invalid_challenge',
] satisfies readonly IdentityErrorCode[];

/**
 * Whether something was guessed wrong on an authentication route: a password, a code, a temporary
 * token, an access token or a key. A malformed or missing one is no guess, and neither is a right
 * password without its code.
 */
export const isFailedAttempt = (error: unknown): boolean =>
  (error instanceof DomainError && GUESSES.includes(error.code)) ||
  (error instanceof HttpFailure && error.failure.code === INVALID_CREDENTIAL);
