import { ApiProperty } from '@nestjs/swagger';
import { PASSWORD_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { TextField } from '../fields/request-fields.js';
import { OTP_CODE_LENGTH_MAX } from './auth.dto.js';

export class StartTwoFactorDto {
  @TextField({
    maxLength: PASSWORD_LENGTH_MAX,
    description: 'The password of the user.',
    minLength: 1,
  })
  readonly password!: string;
}

export class OtpCodeDto {
  @TextField({ example: '492039', maxLength: OTP_CODE_LENGTH_MAX, minLength: 1 })
  readonly otp_code!: string;
}

export class StartedTwoFactorDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', description: 'Base32.' })
  readonly secret!: string;
  @ApiProperty({ example: 'otpauth://totp/Quipu:demo?issuer=Quipu&secret=…' })
  readonly otpauth_url!: string;
}

export class RecoveryCodesDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({
    type: [String],
    example: ['abcd-efgh-ijkl-mnop'],
    description: 'Each replaces a code once. Only this answer shows them.',
  })
  readonly recovery_codes!: readonly string[];
}
