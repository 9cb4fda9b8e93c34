import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { type FastifyRequest } from 'fastify';
import { stripPrefix } from '#areas/identity/sessions/app-tokens.js';
import { AppTokenStrategy } from './app-token.strategy.js';
import { AttemptThrottle } from './attempt-throttle.js';
import { isFailedAttempt } from './failed-attempt.js';
import {
  credentialNotAccepted,
  invalidCredentials,
  missingCredentials,
} from './identity.failures.js';
import { presentedCredential } from './presented-credential.js';
import { throttleAddress } from './throttle-address.js';

/** Lets in the bearer token of an app; a bad one counts as a failed attempt. */
@Injectable()
export class AppTokenGuard extends AuthGuard() {
  constructor(
    @Inject(AppTokenStrategy) strategy: AppTokenStrategy,
    @Inject(AttemptThrottle) private readonly throttle: AttemptThrottle,
  ) {
    super({
      // Passport keeps strategies by name for the whole process, and two gateways in one process have
      // different keys: so it is given the strategy itself, a copy for each request, because it
      // writes the request's callbacks on it.
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
      property: 'caller',
      session: false,
    });
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = presentedCredential(request);
    if (token === null) throw missingCredentials();
    if (stripPrefix(token) === null) throw credentialNotAccepted('the access token (svc_app_…)');
    return this.throttle.attempt(
      throttleAddress(request.ip),
      () => super.canActivate(context) as Promise<boolean>,
      isFailedAttempt,
    );
  }

  override handleRequest<Found>(error: unknown, caller: Found | false | null): Found {
    if (error instanceof Error) throw error;
    if (!caller) throw invalidCredentials();
    return caller;
  }
}
