import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { type Scope as KeyScope } from '#events/identity/key-policy.vocabulary.js';
import { FailsWith } from '../openapi/failures.docs.js';

export const SCOPE_KEY = 'quipu:scope';

/** `open`: a route without a credential, or for a credential of whatever scopes. */
export type RouteScope = KeyScope | 'open';

/**
 * The scope that the routes of a controller, or one route, need. Every route has one: a guard
 * admits nothing to a route without it.
 */
export const Scope = (scope: RouteScope): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(SCOPE_KEY, scope),
    ApiExtension('x-scope', scope),
    ...(scope === 'open' ? [] : [FailsWith('scope_missing')]),
  );
