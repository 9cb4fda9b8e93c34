import { type IdentityErrorCode } from '#areas/identity/identity.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { HttpFailure } from '../errors/http-failure.js';
import { INVALID_CREDENTIAL } from './identity.failures.js';

const FAILED_ATTEMPTS: readonly unknown[] = [
  'invalid_credentials',
  'invalid_otp',
  'invalid_challenge',
  'invalid_reset',
  'sign_in_rejected',
] satisfies readonly IdentityErrorCode[];

/**
 * Whether an error counts as a failed attempt on an authentication route: a wrong password or code,
 * an unknown temporary token, access token or key, an answer that the OpenID provider did not give.
 * A malformed or missing credential does not
 * count, nor does a correct password without its code.
 */
export const isFailedSignIn = (error: unknown): boolean =>
  (error instanceof DomainError && FAILED_ATTEMPTS.includes(error.code)) ||
  (error instanceof HttpFailure && error.failure.code === INVALID_CREDENTIAL);
