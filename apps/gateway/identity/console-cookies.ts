import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import {
  type AppTokenClaims,
  type AppTokenOwner,
  AppTokens,
} from '#areas/identity/sessions/app-tokens.js';
import { type OpenedSession } from '#areas/identity/sessions/session-opener.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { consoleCookie, consoleCredential, IDLE_SECONDS } from './console-cookie.js';

const CSRF_BYTES = 32;

/** The claims of the cookie of a request. */
export type ConsoleClaims = AppTokenClaims & { readonly csrfToken: string };

/** Gives browsers the cookie of a console session, and reads it. */
@Injectable()
export class ConsoleCookies {
  constructor(
    private readonly tokens: AppTokens,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the CSRF token of the session */
  begin(reply: FastifyReply, { sessionId, user }: OpenedSession): string {
    const csrfToken = randomBytes(CSRF_BYTES).toString('base64url');
    this.renew(reply, { userId: user.id, sessionId }, csrfToken);
    return csrfToken;
  }

  /** With a new token each time; the log knows when the session itself ends. */
  renew(reply: FastifyReply, owner: AppTokenOwner, csrfToken: string): void {
    const expiresAtMs = this.clock.now() + IDLE_SECONDS * 1_000;
    const token = this.tokens.signConsole(owner, expiresAtMs, csrfToken);
    void reply.header('set-cookie', consoleCookie(token));
  }

  /**
   * Null for a request without a session that is active.
   * @throws HttpFailure `csrf_token_invalid`
   */
  async claimsOf(request: FastifyRequest): Promise<ConsoleClaims | null> {
    const token = consoleCredential(request);
    const claims = token === null ? null : this.tokens.read(token);
    if (!claims || claims.csrfToken === null) return null;
    const { csrfToken } = claims;
    return (await this.authenticator.callerOf(claims)) && { ...claims, csrfToken };
  }
}
