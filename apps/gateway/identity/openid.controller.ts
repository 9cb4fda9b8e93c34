import {
  Controller,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Inject,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiExcludeEndpoint,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { FLEET_SETTINGS, type FleetSettings } from '#areas/fleet/fleet.settings.js';
import { orderedScopes } from '#areas/identity/keys/key-policy.js';
import { BrowserSignIns, SIGN_IN_SECONDS } from '#areas/identity/openid/browser-sign-ins.js';
import { SignInOpenIdCommand } from '#areas/identity/openid/sign-in-openid.handler.js';
import { type AppClient } from '#areas/identity/sessions/session-opener.js';
import { DEVICE_INFO_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { LoginSuccessDto, TwoFactorChallengeDto } from './auth.dto.js';
import { presentOutcome } from './auth.presenter.js';
import { insecurityOf } from './console-cookie.js';
import { ConsoleCookies } from './console-cookies.js';
import { CONSOLE_APP } from './console-session.controller.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { insecureConnection } from './identity.failures.js';
import { StartSignInDto } from './openid.dto.js';
import { Scope } from './scope.decorator.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { throttleAddress } from './throttle-address.js';

/** The browser sends it to these routes alone, also where the provider sends the browser back. */
const COOKIE = 'quipu_oidc';
const COOKIE_TERMS = 'Path=/api/v1/auth/oidc; HttpOnly; SameSite=Lax';
/** At most as long as a browser keeps one. */
const SEALED = new RegExp(`(?:^|; ?)${COOKIE}=([\\w.-]{1,4096})(?:;|$)`);

/** Sign-in by an OpenID provider; an addition to the promised interface. */
@ApiTags('identity')
@Scope('open')
@Controller('api/v1/auth/oidc')
export class OpenIdController {
  constructor(
    private readonly commands: CommandBus,
    private readonly signIns: BrowserSignIns,
    private readonly throttle: SignInThrottle,
    private readonly cookies: ConsoleCookies,
    @Inject(FLEET_SETTINGS) private readonly fleet: FleetSettings,
  ) {}

  @Get('start')
  @HttpCode(302)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Begin a sign-in by the OpenID provider',
    description:
      'Redirects the browser to the provider of the installation, and nowhere else. A cookie ' +
      'binds the sign-in to the browser. It ends at the callback, within ' +
      `${SIGN_IN_SECONDS} s; another sign-in of the browser replaces it.`,
  })
  @ApiResponse({ status: 302, description: 'The authorization endpoint of the provider.' })
  @FailsWith('oidc_not_configured', 'oidc_unavailable')
  async start(
    @Query() { scopes, app_name: appName, device_info: deviceInfo }: StartSignInDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const client = {
      appName: appName ?? null,
      deviceInfo: deviceInfo ?? null,
      scopes: orderedScopes(scopes),
    };
    await this.#begin(client, reply);
  }

  /** For the pages of the console alone, so it is not in the API document. */
  @Get('console')
  @HttpCode(302)
  @Header('cache-control', 'no-store')
  @ApiExcludeEndpoint()
  async startConsole(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const insecurity = insecurityOf(request);
    if (insecurity !== null) throw insecureConnection(insecurity);
    const deviceInfo = request.headers['user-agent']?.slice(0, DEVICE_INFO_LENGTH_MAX) ?? null;
    await this.#begin({ appName: CONSOLE_APP, deviceInfo, scopes: 'console' }, reply);
  }

  @Get('callback')
  @Header('cache-control', 'no-store')
  @Header('set-cookie', `${COOKIE}=; ${COOKIE_TERMS}; Max-Age=0`)
  @ApiOperation({
    summary: 'End a sign-in by the OpenID provider',
    description:
      'The provider sends the browser here. The answer is the one of a log-in with a password. ' +
      'The user is found by issuer and subject, or created; the rules of groups give the role. ' +
      'A user with two-factor authentication gets a challenge, unless the provider says that it ' +
      'has asked for several factors (`mfa` in `amr`). A sign-in that the console began ends at ' +
      'the console.',
  })
  @ApiQuery({ name: 'state', required: false, description: 'As the sign-in began.' })
  @ApiQuery({ name: 'code', required: false, description: 'Of the provider; it works once.' })
  @ApiQuery({ name: 'iss', required: false, description: 'The issuer (RFC 9207).' })
  @ApiQuery({ name: 'error', required: false, description: 'Why the provider rejects.' })
  @ApiExtraModels(LoginSuccessDto, TwoFactorChallengeDto)
  @ApiOkResponse({
    description: 'The session, or the two-factor challenge.',
    schema: {
      oneOf: [
        { $ref: getSchemaPath(LoginSuccessDto) },
        { $ref: getSchemaPath(TwoFactorChallengeDto) },
      ],
    },
  })
  @FailsWith(
    'oidc_not_configured',
    'oidc_unavailable',
    'invalid_state',
    'sign_in_rejected',
    'openid_taken',
    'user_disabled',
    'scope_not_allowed',
    'too_many_attempts',
    'authentication_busy',
  )
  async callback(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LoginSuccessDto | TwoFactorChallengeDto | undefined> {
    const [, query = ''] = request.url.split('?', 2);
    const sealed = SEALED.exec(request.headers.cookie ?? '')?.[1] ?? null;
    const command = new SignInOpenIdCommand({ query, sealed }, contextOf(request.id, 'anonymous'));
    const outcome = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    if (!outcome.isForConsole) return presentOutcome(outcome, this.fleet);
    if (outcome.kind === 'session') this.cookies.begin(reply, outcome.session);
    // A fragment is in no log and no request.
    const rest = outcome.kind === 'session' ? '' : `#challenge=${outcome.tempToken}`;
    void reply.status(HttpStatus.FOUND).header('location', `/console${rest}`);
    return undefined;
  }

  async #begin(client: AppClient, reply: FastifyReply): Promise<void> {
    const { url, sealed, isSecure } = await this.signIns.begin(client);
    const terms = `${COOKIE_TERMS}; Max-Age=${SIGN_IN_SECONDS}${isSecure ? '; Secure' : ''}`;
    void reply.headers({ location: url, 'set-cookie': `${COOKIE}=${sealed}; ${terms}` });
  }
}
