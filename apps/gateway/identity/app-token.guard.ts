import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { type FastifyRequest } from 'fastify';
import { stripPrefix } from '#areas/identity/sessions/app-tokens.js';
import { APP_TOKEN } from './app-token.strategy.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { isFailedSignIn } from './failed-sign-in.js';
import {
  credentialNotAccepted,
  invalidCredentials,
  missingCredentials,
} from './identity.failures.js';
import { presentedCredential } from './presented-credential.js';
import { RequestRates } from './request-rates.js';
import { demandTerms, routeTermsOf } from './route-terms.js';
import { throttleAddress } from './throttle-address.js';

/** Admits app tokens only. An invalid token counts as a failed attempt of the address. */
@Injectable()
export class AppTokenGuard extends AuthGuard(APP_TOKEN) {
  constructor(
    private readonly throttle: SignInThrottle,
    private readonly rates: RequestRates,
    private readonly reflector: Reflector,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = presentedCredential(request);
    if (token === null) throw missingCredentials();
    if (stripPrefix(token) === null) throw credentialNotAccepted('the access token (svc_app_…)');
    const isAdmitted = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => super.canActivate(context) as Promise<boolean>,
      isFailedSignIn,
    );
    const { caller } = request;
    if (!isAdmitted || !caller) return false;
    demandTerms(caller, routeTermsOf(this.reflector, context), request);
    this.rates.take(caller);
    return true;
  }

  override handleRequest<Found>(error: unknown, caller: Found | false | null): Found {
    if (error instanceof Error) throw error;
    if (!caller) throw invalidCredentials();
    return caller;
  }
}
