import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type FastifyRequest } from 'fastify';
import { Strategy } from 'passport-jwt';
import {
  APP_TOKEN_ALGORITHM,
  APP_TOKEN_AUDIENCE,
  APP_TOKEN_ISSUER,
  APP_TOKEN_KEY,
  readClaims,
  stripPrefix,
} from '#areas/identity/sessions/app-tokens.js';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { presentedCredential } from './presented-credential.js';

/** The name of the strategy. */
export const APP_TOKEN = 'app-token';

/** The JWT of a request, without its prefix `svc_app_`. */
const jwtOf = (request: unknown): string | null => {
  const token = presentedCredential(request as FastifyRequest);
  return token === null ? null : stripPrefix(token);
};

/**
 * Authenticates app tokens: passport-jwt verifies the signature, `Authenticator` checks the expiry
 * and the session. Passport registers strategies by name for the whole process, so a process runs
 * one gateway.
 */
@Injectable()
export class AppTokenStrategy extends PassportStrategy(Strategy, APP_TOKEN) {
  constructor(
    @Inject(SECRETS) secrets: Secrets,
    private readonly authenticator: Authenticator,
  ) {
    super({
      jwtFromRequest: jwtOf,
      secretOrKey: secrets.key(APP_TOKEN_KEY),
      algorithms: [APP_TOKEN_ALGORITHM],
      issuer: APP_TOKEN_ISSUER,
      audience: APP_TOKEN_AUDIENCE,
      // `Authenticator` compares the expiry of token and session with the injected clock.
      ignoreExpiration: true,
    });
  }

  async validate(payload: unknown): Promise<Caller | false> {
    const claims = readClaims(payload);
    return (claims && (await this.authenticator.callerOf(claims))) ?? false;
  }
}
