import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Acceptance, ApiGuard } from './api.guard.js';
import { AttemptThrottle } from './attempt-throttle.js';
import { isFailedAttempt } from './failed-attempt.js';
import { throttleAddress } from './throttle-address.js';

/**
 * For the routes that manage keys: a renter key must not make itself a user's. A bad credential
 * counts as a failed attempt.
 */
@Injectable()
export class KeyOwnerGuard extends ApiGuard {
  protected override readonly accepts: Acceptance = {
    kinds: ['api_key', 'app_token'],
    inWords: 'an API key (sk-svc-…) or an access token (svc_app_…)',
  };

  constructor(
    authenticator: Authenticator,
    reflector: Reflector,
    private readonly throttle: AttemptThrottle,
  ) {
    super(authenticator, reflector);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const address = throttleAddress(ip);
    return this.throttle.attempt(address, () => super.canActivate(context), isFailedAttempt);
  }
}
