import { Body, Controller, Get, HttpCode, Inject, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { AccountContextQuery } from '#areas/identity/accounts/account-context.handler.js';
import { FLEET_SETTINGS, type FleetSettings } from '#areas/fleet/fleet.settings.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ChangePasswordCommand } from '#areas/identity/passwords/change-password.handler.js';
import { orderedScopes } from '#areas/identity/keys/key-policy.js';
import { RedeemPasswordResetCommand } from '#areas/identity/passwords/redeem-reset.handler.js';
import { LogInCommand } from '#areas/identity/sessions/log-in.handler.js';
import { RevokeSessionCommand } from '#areas/identity/sessions/revoke-session.handler.js';
import { VerifyTwoFactorCommand } from '#areas/identity/two-factor/verify-two-factor.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { withEntryPoints } from '../fleet/entry-points.dto.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AppTokenGuard } from './app-token.guard.js';
import { Scope } from './scope.decorator.js';
import { SignInThrottle } from './sign-in-throttle.js';
import {
  AccountContextDto,
  DoneDto,
  LoginDto,
  LoginSuccessDto,
  TwoFactorChallengeDto,
  VerifyTwoFactorDto,
} from './auth.dto.js';
import { presentContext, presentOutcome, presentSession } from './auth.presenter.js';
import { CurrentCaller } from './caller.decorator.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { throttleAddress } from './throttle-address.js';
import { ChangePasswordDto, PasswordResetDto } from './users.dto.js';

/** Log-in, its second step, and the routes of the access token. */
@ApiTags('identity')
@Scope('open')
@Controller('api/v1/auth')
export class AuthController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly throttle: SignInThrottle,
    @Inject(FLEET_SETTINGS) private readonly fleet: FleetSettings,
  ) {}

  @Post('login')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Log in',
    description:
      'Exchanges username and password for an access token and an API key. Both have the same ' +
      'scopes: `inference` and `read_billing`, or the ones that are asked for. A user with ' +
      'two-factor authentication also sends `otp_code`, or answers the challenge that the route ' +
      'returns.',
  })
  @ApiExtraModels(LoginSuccessDto, TwoFactorChallengeDto)
  @ApiOkResponse({
    description: 'The session, or the two-factor challenge where otp_code is needed and missing.',
    schema: {
      oneOf: [
        { $ref: getSchemaPath(LoginSuccessDto) },
        { $ref: getSchemaPath(TwoFactorChallengeDto) },
      ],
    },
  })
  @FailsWith(
    'invalid_credentials',
    'user_disabled',
    'scope_not_allowed',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async login(
    @Body() body: LoginDto,
    @Req() request: FastifyRequest,
  ): Promise<LoginSuccessDto | TwoFactorChallengeDto> {
    const data = {
      username: body.username,
      password: body.password,
      appName: body.app_name ?? null,
      deviceInfo: body.device_info ?? null,
      otpCode: body.otp_code ?? null,
      scopes: orderedScopes(body.scopes),
    };
    const command = new LogInCommand(data, contextOf(request.id, 'anonymous'));
    const outcome = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    return presentOutcome(outcome, this.fleet);
  }

  @Post('verify_2fa')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Answer a two-factor challenge',
    description:
      'Exchanges the token of a challenge and a code for an access token and an API key. A ' +
      'challenge expires after some minutes or too many wrong codes.',
  })
  @ApiOkResponse({ type: LoginSuccessDto, description: 'The session.' })
  @FailsWith(
    'invalid_challenge',
    'user_disabled',
    'scope_not_allowed',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async verifyTwoFactor(
    @Body() { temp_token: tempToken, otp_code: otpCode }: VerifyTwoFactorDto,
    @Req() request: FastifyRequest,
  ): Promise<LoginSuccessDto> {
    const context = contextOf(request.id, 'anonymous');
    const command = new VerifyTwoFactorCommand({ tempToken, otpCode }, context);
    const session = await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    return { ...presentSession(session), ...withEntryPoints(this.fleet) };
  }

  @Get('me')
  @UseGuards(AppTokenGuard)
  @Credentials('app-token')
  @ApiOperation({
    summary: 'Get the user of the access token',
    description: 'The user, the tenant and the session of the access token.',
  })
  @ApiOkResponse({ type: AccountContextDto, description: 'The user, the tenant and the session.' })
  @FailsWith('too_many_attempts', 'session_not_found')
  async me(@CurrentCaller() { userId, credential }: Caller): Promise<AccountContextDto> {
    return presentContext(
      await this.queries.execute(new AccountContextQuery(userId, credential.id)),
    );
  }

  @Post('revoke')
  @HttpCode(200)
  @UseGuards(AppTokenGuard)
  @Credentials('app-token')
  @ApiOperation({
    summary: 'Log out',
    description:
      'Ends the session of the access token and revokes the API key that was issued with it.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The session has ended.' })
  @FailsWith('too_many_attempts', 'session_not_found')
  async revoke(
    @CurrentCaller() { userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(
      new RevokeSessionCommand({ sessionId: credential.id, userId }, context),
    );
    return { success: true, message: 'The session has ended.' };
  }

  @Post('password')
  @HttpCode(200)
  @UseGuards(AppTokenGuard)
  @Credentials('app-token')
  @ApiOperation({
    summary: 'Change the password',
    description: 'Ends every session of the user, this one too: log in again. Keys stay valid.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The password is changed.' })
  @FailsWith('invalid_credentials', 'too_many_attempts', 'authentication_busy')
  async changePassword(
    @Body() { current_password: current, new_password: password }: ChangePasswordDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new ChangePasswordCommand({ userId, current, password }, context);
    await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    return { success: true, message: 'The password is changed. Log in again.' };
  }

  @Post('password_reset')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Set another password with the token of a reset',
    description:
      'An operator hands the token over. It works once, and ends every session of the user; keys ' +
      'stay valid.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'The password is changed.' })
  @FailsWith('invalid_reset', 'too_many_attempts', 'authentication_busy')
  async resetPassword(
    @Body() { token, new_password: password }: PasswordResetDto,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, 'anonymous');
    const command = new RedeemPasswordResetCommand({ token, password }, context);
    await this.throttle.attempt(
      throttleAddress(request.ip),
      () => this.commands.execute(command),
      isFailedSignIn,
    );
    return { success: true, message: 'The password is changed. Log in.' };
  }
}
