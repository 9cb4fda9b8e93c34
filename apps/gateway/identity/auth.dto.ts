import { ApiProperty } from '@nestjs/swagger';
import { SESSION_SECONDS } from '#areas/identity/sessions/session-opener.js';
import { CHALLENGE_SECONDS } from '#areas/identity/two-factor/challenges.js';
import { SESSION_SCOPES } from '#areas/identity/keys/key-policy.js';
import { type Scope, SCOPES } from '#events/identity/key-policy.vocabulary.js';
import {
  APP_NAME_LENGTH_MAX,
  DEVICE_INFO_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
} from '#areas/identity/users/user-details.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoicesField, TextField } from '../fields/request-fields.js';
import { EntryPointsDto } from '../fleet/entry-points.dto.js';

/** Longer than any username, so that validation does not reveal which names can exist. */
const USERNAME_LENGTH_MAX = 254;
/** A recovery code with its dashes is 19 characters. */
export const OTP_CODE_LENGTH_MAX = 32;
const TEMP_TOKEN_PATTERN = /^svc_2fa_[A-Za-z0-9_-]{1,128}$/;
const ROLES = ['renter', 'Partner', 'Investor', 'Admin'];

export class LoginDto {
  @TextField({ example: 'demo', maxLength: USERNAME_LENGTH_MAX, minLength: 1 })
  readonly username!: string;

  @TextField({
    example: 'correct horse battery staple',
    maxLength: PASSWORD_LENGTH_MAX,
    minLength: 1,
  })
  readonly password!: string;

  @TextField({
    required: false,
    example: 'Quipu Mobile',
    maxLength: APP_NAME_LENGTH_MAX,
    minLength: 1,
  })
  readonly app_name?: string;

  @TextField({ required: false, example: 'Pixel 9', maxLength: DEVICE_INFO_LENGTH_MAX })
  readonly device_info?: string;

  @TextField({
    required: false,
    example: '492039',
    description:
      'A code of the authenticator app, or a recovery code. Without it the answer is a challenge.',
    maxLength: OTP_CODE_LENGTH_MAX,
    minLength: 1,
  })
  readonly otp_code?: string;

  @ChoicesField(SCOPES, {
    required: false,
    default: SESSION_SCOPES,
    example: ['inference', 'read_billing', 'manage_keys'],
    description: 'Of the access token and of the API key, within what the role of the user allows.',
  })
  readonly scopes: readonly Scope[] = SESSION_SCOPES;
}

/** Of the user of a session. */
export class ConfirmIdentityDto {
  @TextField({
    example: 'correct horse battery staple',
    maxLength: PASSWORD_LENGTH_MAX,
    minLength: 1,
  })
  readonly password!: string;

  @TextField({
    required: false,
    example: '492039',
    description: 'A code of the authenticator app, or a recovery code.',
    maxLength: OTP_CODE_LENGTH_MAX,
    minLength: 1,
  })
  readonly otp_code?: string;
}

export class VerifyTwoFactorDto {
  @TextField({
    example: 'svc_2fa_Zx3Qm8',
    matches: TEMP_TOKEN_PATTERN,
    expected: 'the svc_2fa_… of a challenge',
  })
  readonly temp_token!: string;

  @TextField({
    example: '492039',
    description: 'A code of the authenticator app, or a recovery code.',
    maxLength: OTP_CODE_LENGTH_MAX,
    minLength: 1,
  })
  readonly otp_code!: string;
}

export class UserDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'demo' })
  readonly username!: string;
  @ApiProperty({ example: 'demo@example.com' })
  readonly email!: string;
  @ApiProperty({ enum: ROLES })
  readonly role!: string;
  @ApiProperty({ description: 'Deposits minus charges.', example: 10 })
  readonly balance_usd!: number;
  @ApiProperty({ example: false })
  readonly twofa_enabled!: boolean;
  @ApiProperty({ example: 'system' })
  readonly theme!: string;
  @ApiProperty({ example: 'en' })
  readonly language!: string;
}

export class TenantDto {
  @ApiProperty({ example: 'Quipu' })
  readonly name!: string;
  @ApiProperty({ example: '#7a3e1d' })
  readonly primary_color!: string;
  @ApiProperty({ example: 'http://127.0.0.1:8080' })
  readonly base_url!: string;
}

class WrongCodesDto {
  @ApiProperty({ example: 12 })
  readonly count!: number;
  @ApiProperty({ example: '2026-11-21 04:48:00', description: 'The last of them, in UTC.' })
  readonly last_at!: string;
}

export class LoginSuccessDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ enum: ['Bearer'] })
  readonly token_type!: 'Bearer';
  @ApiProperty({ example: 'svc_app_…' })
  readonly access_token!: string;
  @ApiProperty({
    example: 'sk-svc-…',
    description: 'The key of this session. Its name is app_name, and it expires with the session.',
  })
  readonly api_key!: string;
  @ApiProperty({ example: SESSION_SECONDS })
  readonly expires_in!: number;
  @ApiProperty({ example: '2026-12-21 04:48:00', description: 'UTC.' })
  readonly expires_at!: string;
  @ApiProperty({
    enum: SCOPES,
    isArray: true,
    description: 'Of the access token and of the API key.',
    example: SESSION_SCOPES,
  })
  readonly scopes!: readonly string[];
  @ApiProperty({ type: UserDto })
  readonly user!: UserDto;
  @ApiProperty({ type: TenantDto })
  readonly tenant!: TenantDto;
  @ApiProperty({
    type: WrongCodesDto,
    required: false,
    description:
      'Wrong second-factor codes since the last log-in, from any address; absent if there were ' +
      'none. Their sender knows the password or has an access token.',
  })
  readonly wrong_codes?: WrongCodesDto;
  @ApiProperty({
    type: EntryPointsDto,
    required: false,
    description: 'The bases of the API; absent where none is configured.',
  })
  readonly api_urls?: EntryPointsDto;
}

export class TwoFactorChallengeDto {
  @ApiProperty({ enum: [false] })
  readonly success!: false;
  @ApiProperty({ enum: [true] })
  readonly '2fa_required'!: true;
  @ApiProperty({ example: 'svc_2fa_Zx3Qm8' })
  readonly temp_token!: string;
  @ApiProperty({ example: 'Send the code as otp_code, or with temp_token to the verify path.' })
  readonly message!: string;
  @ApiProperty({ example: CHALLENGE_SECONDS })
  readonly expires_in!: number;
}

class SessionDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @NullableField(String)
  readonly app_name!: string | null;
  @NullableField(String)
  readonly device_info!: string | null;
  @ApiProperty({ enum: SCOPES, isArray: true, example: SESSION_SCOPES })
  readonly scopes!: readonly string[];
  @ApiProperty({ example: '2026-11-21 04:48:00', description: 'UTC.' })
  readonly started_at!: string;
  @ApiProperty({ example: '2026-12-21 04:48:00', description: 'UTC.' })
  readonly expires_at!: string;
}

export class AccountContextDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ type: UserDto })
  readonly user!: UserDto;
  @ApiProperty({ type: TenantDto })
  readonly tenant!: TenantDto;
  @ApiProperty({ type: SessionDto })
  readonly session!: SessionDto;
}

export class DoneDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty()
  readonly message!: string;
}
