import { ApiProperty } from '@nestjs/swagger';
import {
  EMAIL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERNAME_PATTERN,
} from '#areas/identity/users/user-details.js';
import { Role } from '#events/identity/identity.vocabulary.js';
import { type Scope, SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { INFERENCE_ONLY } from '#areas/identity/keys/key-policy.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  ChoicesField,
  FlagField,
  IntegerField,
  TextField,
} from '../fields/request-fields.js';
import { PageOfListDto } from '../pages/page.dto.js';

const ROLES = Role.options;

/** Destroyed with an account: everything that is sealed with the key of its user. */
export const ERASED = ['username', 'email', 'password', 'second_factor', 'names_of_keys_and_apps'];
/** Kept for the books, without personal data. */
export const KEPT = ['ledger', 'statements', 'ids', 'times'];

const PasswordField = (description?: string): PropertyDecorator =>
  TextField({
    required: description === undefined,
    minLength: PASSWORD_LENGTH_MIN,
    maxLength: PASSWORD_LENGTH_MAX,
    example: 'correct horse battery staple',
    ...(description !== undefined && { description }),
  });

export class UserIdDto {
  @IntegerField({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    fromText: true,
    example: 7,
    description: 'The id of the user.',
  })
  readonly user_id!: number;
}

export class CreateUserDto {
  @TextField({
    example: 'ada',
    matches: USERNAME_PATTERN,
    expected: '3 to 64 letters, digits, or any of . _ @ -',
  })
  readonly username!: string;

  @TextField({ example: 'ada@example.org', minLength: 3, maxLength: EMAIL_LENGTH_MAX })
  readonly email!: string;

  @ChoiceField(ROLES, { example: 'renter' })
  readonly role!: Role;

  @PasswordField('Default: one is generated.')
  readonly password?: string;

  @ChoicesField(SCOPES, {
    required: false,
    default: INFERENCE_ONLY,
    example: ['inference', 'read_billing'],
    description: 'Of the API key.',
  })
  readonly scopes: readonly Scope[] = INFERENCE_ONLY;
}

export class ChangeRoleDto {
  @ChoiceField(ROLES, { example: 'renter' })
  readonly role!: Role;
}

export class ChangePasswordDto {
  @TextField({
    minLength: 1,
    maxLength: PASSWORD_LENGTH_MAX,
    example: 'the present password',
    description: 'The present password.',
  })
  readonly current_password!: string;

  @PasswordField()
  readonly new_password!: string;
}

export class PasswordResetDto {
  @TextField({
    example: 'svc_rst_7_Zx3Qm8',
    matches: /^svc_rst_[\w-]{1,128}$/,
    expected: 'the svc_rst_… of a password reset',
  })
  readonly token!: string;

  @PasswordField()
  readonly new_password!: string;
}

export class ListedUserDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @NullableField(String, 'Null: the user was erased.', 'ada')
  readonly username!: string | null;
  @NullableField(String, 'Null: the user was erased.', 'ada@example.org')
  readonly email!: string | null;
  @ApiProperty({ enum: ROLES })
  readonly role!: string;
  @ApiProperty({ enum: ['active', 'disabled', 'erased'] })
  readonly status!: string;
  @ApiProperty({ example: true })
  readonly two_factor_enabled!: boolean;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly registered_at!: string;
  @NullableField(String, 'Null: the password is the first one.', '2026-11-26T10:00:00.000Z')
  readonly password_changed_at!: string | null;
}

export class UserListDto extends PageOfListDto {
  @ApiProperty({ type: [ListedUserDto] })
  readonly users!: readonly ListedUserDto[];
}

export class CreatedUserDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @ApiProperty({ example: 'ada' })
  readonly username!: string;
  @ApiProperty({ enum: ROLES })
  readonly role!: string;
  @ApiProperty({ example: 'sk-svc-…', description: 'Only this answer shows it.' })
  readonly api_key!: string;
  @ApiProperty({ example: 'svc_api_…', description: 'Only this answer shows it.' })
  readonly renter_key!: string;
  @NullableField(String, 'The generated password, shown once; null: the request had one.')
  readonly password!: string | null;
}

export class ChangedUserDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ description: 'False: the user was like that before.' })
  readonly changed!: boolean;
}

export class ResetPasswordDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: 'a1b2c3…', description: 'Only this answer shows it.' })
  readonly password!: string;
}

export class OfferResetDto {
  @FlagField({
    required: false,
    default: false,
    description:
      'Mail the token to the user, and leave it out of the answer. For an installation with a ' +
      'mail server (`QUIPU_SMTP_URL`).',
  })
  readonly send_mail: boolean = false;
}

export class OfferedResetDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @NullableField(
    String,
    'Only this answer shows it. Null: the user has it by mail.',
    'svc_rst_7_Zx3Qm8…',
  )
  readonly token!: string | null;
  @InstantField('The token is invalid from this instant on.')
  readonly expires_at!: string;
}

export class ClosedAccountDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: 3 })
  readonly keys_revoked!: number;
  @ApiProperty({ type: [String], example: ERASED })
  readonly erased!: readonly string[];
  @ApiProperty({ type: [String], example: KEPT })
  readonly kept!: readonly string[];
}
