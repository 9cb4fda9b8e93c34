import { type ExecutionContext } from '@nestjs/common';
import { type Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import {
  addressNotAllowed,
  confirmationNeeded,
  insufficientRole,
  routeNotAllowed,
  scopeMissing,
} from './identity.failures.js';
import { ROLES_KEY } from './roles.decorator.js';
import { type RouteScope, SCOPE_KEY } from './scope.decorator.js';

/** The terms on which a route admits callers. */
export interface RouteTerms {
  readonly scope: RouteScope;
  /** Of which the caller needs one; absent: any role. */
  readonly roles?: readonly Role[] | undefined;
}

/** @throws Error for a route without a scope, which admits no caller */
export const routeTermsOf = (reflector: Reflector, context: ExecutionContext): RouteTerms => {
  const targets = [context.getHandler(), context.getClass()];
  const scope = reflector.getAllAndOverride<RouteScope | undefined>(SCOPE_KEY, targets);
  if (!scope) throw new Error(`${context.getClass().name}: a route declares no scope`);
  return { scope, roles: reflector.getAllAndOverride(ROLES_KEY, targets) };
};

/** Writes of these scopes give money, keys or power away. */
const CONFIRMED: readonly RouteScope[] = ['manage_keys', 'manage_money', 'operate'];
const READS: readonly string[] = ['GET', 'HEAD'];

/** Whether a request is a write by a console session whose user must be present. */
const needsConfirmation = (
  { kind, isConfirmed }: Caller['credential'],
  scope: RouteScope,
  method: string,
): boolean =>
  kind === 'console_session' &&
  isConfirmed !== true &&
  CONFIRMED.includes(scope) &&
  !READS.includes(method);

/**
 * The one check of the rights of a credential: its role, its scopes, and the routes and addresses
 * of its policy.
 * @throws HttpFailure `insufficient_role`, `scope_missing`, `route_not_allowed`,
 *   `address_not_allowed`, `confirmation_needed`
 */
export const demandTerms = (
  { role, credential }: Caller,
  { scope, roles }: RouteTerms,
  request: Pick<FastifyRequest, 'ip' | 'method' | 'routeOptions'>,
): void => {
  const { policy, lists } = credential;
  if (roles && !roles.includes(role)) throw insufficientRole(roles);
  if (scope !== 'open' && !policy.scopes.includes(scope)) throw scopeMissing(scope);
  if (needsConfirmation(credential, scope, request.method)) throw confirmationNeeded();
  if (!lists) return;
  const { ip, routeOptions } = request;
  if (!lists.allowsAddress(ip)) throw addressNotAllowed(ip);
  const { url = '' } = routeOptions;
  if (!lists.allowsRoute(url)) throw routeNotAllowed(url);
};
