import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller, type CredentialKind } from '#areas/identity/authentication/caller.js';
import {
  credentialNotAccepted,
  invalidCredentials,
  missingCredentials,
} from './identity.failures.js';
import { presentedCredential } from './presented-credential.js';
import { RequestRates } from './request-rates.js';
import { demandTerms, type RouteTerms, routeTermsOf } from './route-terms.js';

/** The credential kinds that a route accepts, and their description in the error message. */
export interface AcceptedCredentials {
  readonly kinds: readonly CredentialKind[];
  /** Whether a key that acts for a team is admitted. Default: yes. */
  readonly teams?: boolean;
  readonly description: string;
}

const ANY: AcceptedCredentials = {
  kinds: ['api_key', 'app_token', 'console_session', 'renter_key', 'provider_token'],
  description: 'an API key, an access token, a renter key or a token of the OpenID provider',
};

/**
 * Admits credentials of every kind. A renter key has the role `renter`, so a route with `@Roles`
 * rejects it unless the route names that role.
 *
 * It asks `Authenticator` directly instead of Passport: it runs on the hot path, and for a cached
 * credential it answers without a promise.
 */
@Injectable()
export class ApiGuard implements CanActivate {
  protected readonly accepts: AcceptedCredentials = ANY;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly reflector: Reflector,
    private readonly rates: RequestRates,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return this.admit(request, routeTermsOf(this.reflector, context));
  }

  /** Sets the caller of the request. */
  admit(request: FastifyRequest, terms: RouteTerms): true | Promise<true> {
    const token = presentedCredential(request);
    if (token === null) throw missingCredentials();
    const caller = this.authenticator.authenticate(token);
    return caller instanceof Promise
      ? caller.then((found) => this.#admit(request, found, terms))
      : this.#admit(request, caller, terms);
  }

  #admit(request: FastifyRequest, caller: Caller | null, terms: RouteTerms): true {
    if (!caller) throw invalidCredentials();
    const { kinds, teams = true, description } = this.accepts;
    if (!kinds.includes(caller.credential.kind) || (caller.member && !teams)) {
      throw credentialNotAccepted(description);
    }
    demandTerms(caller, terms, request);
    this.rates.take(caller);
    request.caller = caller;
    return true;
  }
}
