import { CONFIRMED_SECONDS } from '#areas/identity/authentication/authenticator.js';
import { HttpFailure } from '../errors/http-failure.js';

/** The errors that guards return before any command runs. */

/** OpenAI's error code, which OpenAI clients handle. */
export const INVALID_CREDENTIAL = 'invalid_api_key';

export const missingCredentials = (): HttpFailure =>
  new HttpFailure({
    status: 401,
    code: 'missing_credentials',
    message: 'Send an API key or access token as Authorization: Bearer, or in X-API-KEY.',
  });

/** Unknown, malformed, revoked and expired credentials get one answer. */
export const invalidCredentials = (): HttpFailure =>
  new HttpFailure({
    status: 401,
    code: INVALID_CREDENTIAL,
    message: 'The API key or access token is not valid.',
  });

/** Without the token a write could come from the page of another origin. */
export const csrfTokenInvalid = (): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'csrf_token_invalid',
    message: 'A write of a console session needs its token in the header X-CSRF-Token.',
  });

export const pageNotAllowed = (): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'origin_not_allowed',
    message: 'A console session belongs to the pages of this gateway in a browser.',
  });

export const insecureConnection = (message: string): HttpFailure =>
  new HttpFailure({ status: 403, code: 'insecure_connection', message });

export const credentialNotAccepted = (accepted: string): HttpFailure =>
  new HttpFailure({
    status: 401,
    code: 'credential_not_accepted',
    message: `This route takes ${accepted} only.`,
  });

export const insufficientRole = (roles: readonly string[]): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'insufficient_role',
    message: `This route needs the role ${roles.join(' or ')}.`,
  });

/** Keys have scopes when they are issued, and sessions when they are opened. */
export const scopeMissing = (scope: string): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'scope_missing',
    message: `This route needs a credential with the scope ${scope}.`,
    metadata: { scope },
  });

/** Of console sessions alone: a browser that was left open is not its user. */
export const confirmationNeeded = (): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'confirmation_needed',
    message:
      'A write of this kind needs the password again: it was not entered in the last ' +
      `${CONFIRMED_SECONDS / 60} minutes. A user without a password signs in again.`,
  });

export const routeNotAllowed = (route: string): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'route_not_allowed',
    message: `The policy of this key does not list ${route}.`,
    metadata: { route },
  });

export const addressNotAllowed = (address: string): HttpFailure =>
  new HttpFailure({
    status: 403,
    code: 'address_not_allowed',
    message: `The policy of this key does not list the address ${address}.`,
    metadata: { address },
  });
