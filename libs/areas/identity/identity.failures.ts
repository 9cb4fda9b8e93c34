import { type FailureMapping, mapFailure } from '#platform/runtime/areas/failure.js';
import { OpenIdUnavailableError } from './openid/openid-unavailable.error.js';
import { PasswordsBusyError } from './passwords/passwords.js';

/** Nothing was checked, and nothing counts as a failed attempt. */
export const AUTHENTICATION_BUSY = 'authentication_busy';

/** The OpenID provider does not answer. */
const OIDC_UNAVAILABLE = 'oidc_unavailable';

/** The HTTP answers to the technical failures of the area. */
export const identityFailures: readonly FailureMapping[] = [
  mapFailure(
    PasswordsBusyError,
    () => ({
      status: 503,
      code: AUTHENTICATION_BUSY,
      message: 'too many passwords wait to be checked; try again',
      retryAfterSeconds: 1,
    }),
    { [AUTHENTICATION_BUSY]: { status: 503 } },
  ),
  mapFailure(
    OpenIdUnavailableError,
    ({ message }) => ({
      status: 503,
      code: OIDC_UNAVAILABLE,
      message: `${message}; try again`,
      retryAfterSeconds: 5,
    }),
    { [OIDC_UNAVAILABLE]: { status: 503 } },
    'known',
  ),
];
