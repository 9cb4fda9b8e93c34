import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type FastifyRequest } from 'fastify';
import { Strategy } from 'passport-jwt';
import {
  APP_TOKEN_ALGORITHM,
  APP_TOKEN_AUDIENCE,
  APP_TOKEN_ISSUER,
  readClaims,
  stripPrefix,
} from '#areas/identity/sessions/app-tokens.js';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { presentedCredential } from './presented-credential.js';

/** The JWT that a request brings behind `svc_app_`. */
const jwtOf = (request: unknown): string | null => {
  const token = presentedCredential(request as FastifyRequest);
  return token === null ? null : stripPrefix(token);
};

/** App tokens through passport: it checks the signature, the log says whether the session runs. */
@Injectable()
export class AppTokenStrategy extends PassportStrategy(Strategy, 'app-token') {
  constructor(
    @Inject(SECRETS) secrets: Secrets,
    private readonly authenticator: Authenticator,
  ) {
    super({
      jwtFromRequest: jwtOf,
      secretOrKey: secrets.key('app-tokens'),
      algorithms: [APP_TOKEN_ALGORITHM],
      issuer: APP_TOKEN_ISSUER,
      audience: APP_TOKEN_AUDIENCE,
      // The session ends when the token does, by the injected clock.
      ignoreExpiration: true,
    });
  }

  async validate(payload: unknown): Promise<Caller | false> {
    const claims = readClaims(payload);
    return (claims && (await this.authenticator.callerOf(claims))) ?? false;
  }
}
