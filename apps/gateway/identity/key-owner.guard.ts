import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type AcceptedCredentials, ApiGuard } from './api.guard.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { RequestRates } from './request-rates.js';
import { throttleAddress } from './throttle-address.js';

/**
 * For the routes that manage keys: a renter key or a key of a team must not be able to
 * issue a user key. An invalid credential counts as a failed attempt of the address.
 */
@Injectable()
export class KeyOwnerGuard extends ApiGuard {
  protected override readonly accepts: AcceptedCredentials = {
    kinds: ['api_key', 'app_token', 'console_session'],
    teams: false,
    description:
      'an API key (sk-svc-…) or an access token (svc_app_…) of a user, and not of a team',
  };

  constructor(
    authenticator: Authenticator,
    reflector: Reflector,
    rates: RequestRates,
    private readonly throttle: SignInThrottle,
  ) {
    super(authenticator, reflector, rates);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const address = throttleAddress(ip);
    return this.throttle.attempt(address, () => super.canActivate(context), isFailedSignIn);
  }
}
