import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';
import { FailsWith } from './failures.docs.js';

/** The name of each kind of credential in the OpenAPI document, and its prefix. */
export const BEARER_SCHEMES = {
  'api-key': 'An API key, `sk-svc-…`.',
  'app-token': 'The access token of a session, `svc_app_…`.',
  'renter-key': 'The API key of a renter, `svc_api_…`.',
  'provider-token': 'A JWT of the configured OpenID provider, for machines.',
} as const;

/** The scheme of the same credentials in the header `X-API-KEY`. */
export const HEADER_SCHEME = 'x-api-key';

type Scheme = keyof typeof BEARER_SCHEMES;

/** Routes that admit a renter key admit every credential. */
const withEvery = (kinds: readonly Scheme[]): readonly Scheme[] =>
  kinds.includes('renter-key') ? [...kinds, 'provider-token'] : kinds;

/** Documents the credentials that a route accepts: one of these, in either header. */
export const Credentials = (...named: readonly Scheme[]) => {
  const kinds = withEvery(named);
  return applyDecorators(
    ...kinds.map((kind) => ApiBearerAuth(kind)),
    ApiSecurity(HEADER_SCHEME),
    ...(kinds.includes('provider-token')
      ? [FailsWith('subject_not_admitted', 'oidc_unavailable')]
      : []),
  );
};
