import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';

/** The name of each kind of credential in the OpenAPI document, and its prefix. */
export const BEARER_SCHEMES = {
  'api-key': 'An API key, `sk-svc-…`.',
  'app-token': 'The access token of a session, `svc_app_…`.',
  'renter-key': 'The API key of a renter, `svc_api_…`.',
} as const;

/** The scheme of the same credentials in the header `X-API-KEY`. */
export const HEADER_SCHEME = 'x-api-key';

/** Documents the credentials that a route accepts: one of these, in either header. */
export const Credentials = (...kinds: readonly (keyof typeof BEARER_SCHEMES)[]) =>
  applyDecorators(...kinds.map((kind) => ApiBearerAuth(kind)), ApiSecurity(HEADER_SCHEME));
