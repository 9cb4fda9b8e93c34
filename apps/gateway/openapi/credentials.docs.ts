import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiSecurity } from '@nestjs/swagger';

/** How the OpenAPI document names each kind of credential, and what it starts with. */
export const BEARER_SCHEMES = {
  'api-key': 'sk-svc-…',
  'app-token': 'svc_app_…',
  'renter-key': 'svc_api_…',
} as const;

/** The same credentials in a header of their own. */
export const HEADER_SCHEME = 'x-api-key';

/** Documents which credentials a route takes: any one of them, in either header. */
export const Credentials = (...kinds: readonly (keyof typeof BEARER_SCHEMES)[]) =>
  applyDecorators(...kinds.map((kind) => ApiBearerAuth(kind)), ApiSecurity(HEADER_SCHEME));
