import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller, type CredentialKind } from '#areas/identity/authentication/caller.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import {
  credentialNotAccepted,
  insufficientRole,
  invalidCredentials,
  missingCredentials,
} from './identity.failures.js';
import { presentedCredential } from './presented-credential.js';
import { ROLES_KEY } from './roles.decorator.js';

/** Which kinds of credentials a route takes, and how a refusal names them. */
export interface Acceptance {
  readonly kinds: readonly CredentialKind[];
  readonly inWords: string;
}

const ANY: Acceptance = {
  kinds: ['api_key', 'app_token', 'renter_key'],
  inWords: 'an API key, an access token or a renter key',
};

/**
 * Lets in whoever brings a credential of any kind. A renter key comes with the role `renter`, so
 * routes with `@Roles` are closed to it unless they name that role.
 *
 * A caller who was seen before is let in without waiting.
 */
@Injectable()
export class ApiGuard implements CanActivate {
  protected readonly accepts: Acceptance = ANY;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = presentedCredential(request);
    if (token === null) throw missingCredentials();
    const caller = this.authenticator.authenticate(token);
    return caller instanceof Promise
      ? caller.then((found) => this.#admit(context, request, found))
      : this.#admit(context, request, caller);
  }

  #admit(context: ExecutionContext, request: FastifyRequest, caller: Caller | null): true {
    if (!caller) throw invalidCredentials();
    if (!this.accepts.kinds.includes(caller.credential.kind)) {
      throw credentialNotAccepted(this.accepts.inWords);
    }
    const roles = this.reflector.getAllAndOverride<readonly Role[] | undefined>(ROLES_KEY, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (roles && !roles.includes(caller.role)) throw insufficientRole(roles);
    request.caller = caller;
    return true;
  }
}
