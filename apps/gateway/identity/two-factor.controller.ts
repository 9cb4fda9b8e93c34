import { Body, Controller, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ConfirmTwoFactorCommand } from '#areas/identity/two-factor/confirm-two-factor.handler.js';
import { DisableTwoFactorCommand } from '#areas/identity/two-factor/disable-two-factor.handler.js';
import { ReplaceRecoveryCodesCommand } from '#areas/identity/two-factor/recovery-codes.handler.js';
import { StartTwoFactorCommand } from '#areas/identity/two-factor/start-two-factor.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AppTokenGuard } from './app-token.guard.js';
import { Scope } from './scope.decorator.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { DoneDto } from './auth.dto.js';
import { CurrentCaller } from './caller.decorator.js';
import { isFailedSignIn } from './failed-sign-in.js';
import { throttleAddress } from './throttle-address.js';
import {
  OtpCodeDto,
  RecoveryCodesDto,
  StartedTwoFactorDto,
  StartTwoFactorDto,
} from './two-factor.dto.js';

/**
 * Two-factor authentication of the user behind an access token; an addition to the promised
 * interface.
 */
@ApiTags('identity')
@Credentials('app-token')
@UseGuards(AppTokenGuard)
@Scope('open')
@Controller('api/v1/auth/2fa')
export class TwoFactorController {
  constructor(
    private readonly commands: CommandBus,
    private readonly throttle: SignInThrottle,
  ) {}

  @Post('enrol')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Start enrolment',
    description:
      'Returns a secret for an authenticator app. Two-factor authentication is off until a code ' +
      'confirms it.',
  })
  @ApiOkResponse({
    type: StartedTwoFactorDto,
    description: 'The secret to add to an authenticator.',
  })
  @FailsWith(
    'two_factor_enabled',
    'invalid_credentials',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async enrol(
    @Body() { password }: StartTwoFactorDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StartedTwoFactorDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new StartTwoFactorCommand({ userId, password }, context);
    const { secret, keyUri } = await this.#attempt(request, () => this.commands.execute(command));
    return { success: true, secret, otpauth_url: keyUri };
  }

  @Post('confirm')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Confirm enrolment',
    description:
      'Turns two-factor authentication on with a first code, and returns the recovery codes.',
  })
  @ApiOkResponse({
    type: RecoveryCodesDto,
    description: 'Two-factor authentication is on; the recovery codes are shown once.',
  })
  @FailsWith(
    'two_factor_enabled',
    'two_factor_not_enrolling',
    'invalid_credentials',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async confirm(
    @Body() { otp_code: otpCode }: OtpCodeDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RecoveryCodesDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new ConfirmTwoFactorCommand({ userId, otpCode }, context);
    const codes = await this.#attempt(request, () => this.commands.execute(command));
    return { success: true, recovery_codes: codes };
  }

  @Post('disable')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Turn two-factor authentication off',
    description: 'Takes a code of the authenticator app or a recovery code.',
  })
  @ApiOkResponse({ type: DoneDto, description: 'Two-factor authentication is off.' })
  @FailsWith(
    'two_factor_not_enabled',
    'invalid_credentials',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async disable(
    @Body() { otp_code: otpCode }: OtpCodeDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<DoneDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new DisableTwoFactorCommand({ userId, otpCode }, context);
    await this.#attempt(request, () => this.commands.execute(command));
    return { success: true, message: 'Two-factor authentication is off.' };
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace the recovery codes',
    description:
      'Takes a code of the authenticator app or a recovery code. The old recovery codes become ' +
      'invalid.',
  })
  @ApiOkResponse({
    type: RecoveryCodesDto,
    description: 'The new recovery codes, which are shown once.',
  })
  @FailsWith(
    'two_factor_not_enabled',
    'invalid_credentials',
    'invalid_otp',
    'too_many_attempts',
    'too_many_wrong_codes',
    'authentication_busy',
  )
  async replaceRecoveryCodes(
    @Body() { otp_code: otpCode }: OtpCodeDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RecoveryCodesDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const command = new ReplaceRecoveryCodesCommand({ userId, otpCode }, context);
    const codes = await this.#attempt(request, () => this.commands.execute(command));
    return { success: true, recovery_codes: codes };
  }

  #attempt<T>({ ip }: FastifyRequest, run: () => Promise<T>): Promise<T> {
    return this.throttle.attempt(throttleAddress(ip), run, isFailedSignIn);
  }
}
