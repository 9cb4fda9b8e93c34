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
import { OPENID_SETTINGS, type OpenIdSettings } from '#areas/identity/openid/openid.settings.js';
import { ConfirmSessionCommand } from '#areas/identity/sessions/confirm-session.handler.js';
import { LogInCommand } from '#areas/identity/sessions/log-in.handler.js';
import { RevokeSessionCommand } from '#areas/identity/sessions/revoke-session.handler.js';
import { type OpenedSession } from '#areas/identity/sessions/session-opener.js';
import { VerifyTwoFactorCommand } from '#areas/identity/two-factor/verify-two-factor.handler.js';
import { DEVICE_INFO_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import {
  ConfirmIdentityDto,
  type DoneDto,
  LoginDto,
  type UserDto,
  VerifyTwoFactorDto,
} from './auth.dto.js';
import { presentContext, presentSession } from './auth.presenter.js';
import { demandOwnPage, insecurityOf, NO_CONSOLE_COOKIE } from './console-cookie.js';
import { type ConsoleClaims, ConsoleCookies } from './console-cookies.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { insecureConnection, missingCredentials } from './identity.failures.js';
import { Scope } from './scope.decorator.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { throttleAddress } from './throttle-address.js';

/** The name of the sessions of the console, and of their keys. */
export const CONSOLE_APP = 'Quipu console';

interface ConsoleSession {
  readonly success: true;
  /** Null: signed out. */
  readonly user: UserDto | null;
  /** For the header `X-CSRF-Token` of every write. */
  readonly csrf_token: string | null;
  /** Why this connection is not for passwords. */
  readonly sign_in_rejected: string | null;
  /** Whether users may sign in by an OpenID provider. */
  readonly has_provider: boolean;
}

/** The password is right, and a code of the second factor is missing. */
interface CodeNeeded {
  readonly success: false;
  readonly '2fa_required': true;
}

const CODE_NEEDED: CodeNeeded = { success: false, '2fa_required': true };

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
    private readonly cookies: ConsoleCookies,
    @Inject(OPENID_SETTINGS) private readonly openid: OpenIdSettings,
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
    if (insecurity !== null) return this.#signedOut(insecurity);
    demandOwnPage(request);
    const claims = await this.cookies.claimsOf(request);
    if (!claims) return this.#signedOut(null);
    this.cookies.renew(reply, claims, claims.csrfToken);
    return this.#found(claims);
  }

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async signIn(
    @Body() { username, password, otp_code: otpCode }: LoginDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSession | CodeNeeded> {
    const data = {
      username,
      password,
      otpCode: otpCode ?? null,
      scopes: 'console' as const,
      appName: CONSOLE_APP,
      deviceInfo: request.headers['user-agent']?.slice(0, DEVICE_INFO_LENGTH_MAX) ?? null,
    };
    const command = new LogInCommand(data, contextOf(request.id, 'anonymous'));
    const outcome = await this.#attempt(request, () => this.commands.execute(command));
    return outcome.kind === 'challenge' ? CODE_NEEDED : this.#begin(reply, outcome.session);
  }

  /** Ends a sign-in by the OpenID provider whose user has a second factor here. */
  @Post('challenge')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async answerChallenge(
    @Body() { temp_token: tempToken, otp_code: otpCode }: VerifyTwoFactorDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleSession> {
    const data = { tempToken, otpCode, isForConsole: true };
    const command = new VerifyTwoFactorCommand(data, contextOf(request.id, 'anonymous'));
    return this.#begin(reply, await this.#attempt(request, () => this.commands.execute(command)));
  }

  /** Takes the password again, for writes of money, keys and operators. */
  @Post('confirmation')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async confirm(
    @Body() { password, otp_code: otpCode }: ConfirmIdentityDto,
    @Req() request: FastifyRequest,
  ): Promise<ConsoleSession | CodeNeeded> {
    const claims = await this.cookies.claimsOf(request);
    if (!claims) throw missingCredentials();
    const { sessionId, userId } = claims;
    const data = { sessionId, userId, password, otpCode: otpCode ?? null };
    const command = new ConfirmSessionCommand(data, contextOf(request.id, `user:${userId}`));
    const outcome = await this.#attempt(request, () => this.commands.execute(command));
    return outcome === 'code-needed' ? CODE_NEEDED : this.#found(claims);
  }

  @Delete()
  @HttpCode(200)
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DoneDto> {
    demandOwnPage(request);
    const claims = await this.cookies.claimsOf(request);
    if (claims) {
      const { sessionId, userId } = claims;
      const context = contextOf(request.id, `user:${userId}`);
      await this.commands.execute(new RevokeSessionCommand({ sessionId, userId }, context));
    }
    void reply.header('set-cookie', NO_CONSOLE_COOKIE);
    return { success: true, message: 'The session has ended.' };
  }

  /** @throws HttpFailure `insecure_connection`, `origin_not_allowed`, `too_many_attempts` */
  #attempt<Outcome>(request: FastifyRequest, run: () => Promise<Outcome>): Promise<Outcome> {
    const insecurity = insecurityOf(request);
    if (insecurity !== null) throw insecureConnection(insecurity);
    demandOwnPage(request);
    return this.throttle.attempt(throttleAddress(request.ip), run, isFailedSignIn);
  }

  #begin(reply: FastifyReply, session: OpenedSession): ConsoleSession {
    return this.#signedIn(presentSession(session).user, this.cookies.begin(reply, session));
  }

  async #found({ userId, sessionId, csrfToken }: ConsoleClaims): Promise<ConsoleSession> {
    const query = new AccountContextQuery(userId, sessionId);
    const found = await this.queries.execute(query);
    return this.#signedIn(presentContext(found).user, csrfToken);
  }

  #signedIn(user: UserDto, csrfToken: string): ConsoleSession {
    return { ...this.#signedOut(null), user, csrf_token: csrfToken };
  }

  #signedOut(rejection: string | null): ConsoleSession {
    return {
      success: true,
      user: null,
      csrf_token: null,
      sign_in_rejected: rejection,
      has_provider: this.openid.issuer !== null && this.openid.clientId !== null,
    };
  }
}
