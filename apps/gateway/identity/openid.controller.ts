import { Controller, Get, Header, HttpCode, Inject, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
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
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { LoginSuccessDto, TwoFactorChallengeDto } from './auth.dto.js';
import { presentOutcome } from './auth.presenter.js';
import { isFailedSignIn } from './failed-sign-in.js';
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
    const { url, sealed, isSecure } = await this.signIns.begin(client);
    const terms = `${COOKIE_TERMS}; Max-Age=${SIGN_IN_SECONDS}${isSecure ? '; Secure' : ''}`;
    void reply.headers({ location: url, 'set-cookie': `${COOKIE}=${sealed}; ${terms}` });
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
      'has asked for several factors (`mfa` in `amr`).',
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
  async callback(@Req() request: FastifyRequest): Promise<LoginSuccessDto | TwoFactorChallengeDto> {
    const [, query = ''] = request.url.split('?', 2);
    const sealed = SEALED.exec(request.headers.cookie ?? '')?.[1] ?? null;
    const command = new SignInOpenIdCommand({ query, sealed }, contextOf(request.id, 'anonymous'));
    const outcome = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    return presentOutcome(outcome, this.fleet);
  }
}
