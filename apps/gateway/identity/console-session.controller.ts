import { randomBytes } from 'node:crypto';
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiExcludeController } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AccountContextQuery } from '#areas/identity/accounts/account-context.handler.js';
import { Authenticator } from '#areas/identity/authentication/authenticator.js';
import { orderedScopes } from '#areas/identity/keys/key-policy.js';
import { type AppTokenOwner, AppTokens } from '#areas/identity/sessions/app-tokens.js';
import { LogInCommand } from '#areas/identity/sessions/log-in.handler.js';
import { RevokeSessionCommand } from '#areas/identity/sessions/revoke-session.handler.js';
import { DEVICE_INFO_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type DoneDto, LoginDto, type TwoFactorChallengeDto, type UserDto } from './auth.dto.js';
import { presentChallenge, presentContext, presentSession } from './auth.presenter.js';
import {
  consoleCookie,
  consoleCredential,
  demandOwnPage,
  IDLE_SECONDS,
  insecurityOf,
  NO_CONSOLE_COOKIE,
} from './console-cookie.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { insecureConnection } from './identity.failures.js';
import { Scope } from './scope.decorator.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { throttleAddress } from './throttle-address.js';

/** A console session ends after this time, also when it is in use. */
export const CONSOLE_SESSION_SECONDS = 43_200;
const APP_NAME = 'Quipu console';
const CSRF_BYTES = 32;

interface ConsoleSession {
  readonly success: true;
  /** Null: signed out. */
  readonly user: UserDto | null;
  /** For the header `X-CSRF-Token` of every write. */
  readonly csrf_token: string | null;
  /** Why this connection is not for passwords. */
  readonly sign_in_rejected: string | null;
}

/**
 * The session of the console, for its own pages alone, so it is not in the API document. The token
 * is in a cookie that no script can read, and the key of the session never leaves the process.
 */
@ApiExcludeController()
@Scope('open')
@Controller('api/v1/auth/console_session')
export class ConsoleSessionController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly throttle: SignInThrottle,
    private readonly tokens: AppTokens,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Answers 200 to a browser that is signed out too: it is how the console learns it. On an
   * insecure connection a browser does not say which page asks.
   */
  @Get()
  @Header('cache-control', 'no-store')
  async find(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSession> {
    const insecurity = insecurityOf(request);
    if (insecurity !== null) return signedOut(insecurity);
    demandOwnPage(request);
    const token = consoleCredential(request);
    const claims = token === null ? null : this.tokens.read(token);
    const caller = claims && (await this.authenticator.callerOf(claims));
    if (!claims?.csrfToken || !caller) return signedOut(null);
    const query = new AccountContextQuery(claims.userId, claims.sessionId);
    const { user } = presentContext(await this.queries.execute(query));
    this.#setCookie(reply, claims, claims.csrfToken);
    return signedIn(user, claims.csrfToken);
  }

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async signIn(
    @Body() { username, password, otp_code: otpCode, scopes }: LoginDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSession | TwoFactorChallengeDto> {
    const insecurity = insecurityOf(request);
    if (insecurity !== null) throw insecureConnection(insecurity);
    demandOwnPage(request);
    const data = {
      username,
      password,
      otpCode: otpCode ?? null,
      scopes: orderedScopes(scopes),
      appName: APP_NAME,
      deviceInfo: request.headers['user-agent']?.slice(0, DEVICE_INFO_LENGTH_MAX) ?? null,
      lifetimeSeconds: CONSOLE_SESSION_SECONDS,
    };
    const command = new LogInCommand(data, contextOf(request.id, 'anonymous'));
    const outcome = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    if (outcome.kind === 'challenge') return presentChallenge(outcome.tempToken);
    const { user } = presentSession(outcome.session);
    const csrfToken = randomBytes(CSRF_BYTES).toString('base64url');
    const { sessionId, user: owner } = outcome.session;
    this.#setCookie(reply, { userId: owner.id, sessionId }, csrfToken);
    return signedIn(user, csrfToken);
  }

  @Delete()
  @HttpCode(200)
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DoneDto> {
    demandOwnPage(request);
    const token = consoleCredential(request);
    const claims = token === null ? null : this.tokens.read(token);
    if (claims) {
      const { sessionId, userId } = claims;
      const context = contextOf(request.id, `user:${userId}`);
      await this.commands.execute(new RevokeSessionCommand({ sessionId, userId }, context));
    }
    void reply.header('set-cookie', NO_CONSOLE_COOKIE);
    return { success: true, message: 'The session has ended.' };
  }

  /** With a new token each time; the log knows when the session itself ends. */
  #setCookie(reply: FastifyReply, owner: AppTokenOwner, csrfToken: string): void {
    const expiresAtMs = this.clock.now() + IDLE_SECONDS * 1_000;
    const token = this.tokens.signConsole(owner, expiresAtMs, csrfToken);
    void reply.header('set-cookie', consoleCookie(token));
  }
}

const signedIn = (user: UserDto, csrfToken: string): ConsoleSession => ({
  success: true,
  user,
  csrf_token: csrfToken,
  sign_in_rejected: null,
});

const signedOut = (rejection: string | null): ConsoleSession => ({
  success: true,
  user: null,
  csrf_token: null,
  sign_in_rejected: rejection,
});
