import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, Length } from 'class-validator';
import {
  EMAIL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERNAME_PATTERN,
} from '#areas/identity/users/user-details.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import { IdField, NumberField, ObjectField, TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

const NAME_LENGTH_MAX = 100;
const RIG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const COLOR_PATTERN = /^#[0-9a-f]{6}$/;

const EMAIL = `an e-mail address of at most ${EMAIL_LENGTH_MAX} characters`;

const PercentField = (description: string, options = {}): PropertyDecorator =>
  NumberField({ minimum: 0, maximum: 100, decimalsMax: 2, example: 15, description, ...options });
const ColorField = (example: string): PropertyDecorator =>
  TextField({ example, matches: COLOR_PATTERN, expected: 'a colour such as #7a3e1d' });
const ASKED_PARTNER =
  'The partner. An Admin who names none sees the first one, and changes the only one; for others ' +
  'it is their own.';

export class AskedPartnerDto {
  @IdField(ASKED_PARTNER, { required: false })
  readonly partner_id?: number;
}

export class PartnerQueryDto extends AsOfDto {
  @IdField(ASKED_PARTNER, { required: false })
  readonly partner_id?: number;
}

export class SubUsersPageDto extends PageDto {
  @IdField(ASKED_PARTNER, { required: false })
  readonly partner_id?: number;
}

export class PartnerPathDto {
  @IdField('The partner.')
  readonly partner_id!: number;
}

export class PartnerUserPathDto extends PartnerPathDto {
  @IdField('The user.')
  readonly user_id!: number;
}

export class PartnerRigPathDto extends PartnerPathDto {
  @TextField({
    description: 'The name of a rig of the catalog.',
    matches: RIG_PATTERN,
    expected: 'the name of a rig',
  })
  readonly rig!: string;
}

export class MarginsDto extends AskedPartnerDto {
  @PercentField('What the partner gets of each charge that follows; two decimals at most.')
  readonly revenue_share_pct!: number;

  @PercentField('What the partner may raise its share to. Only for an Admin.', { required: false })
  readonly revenue_share_max_pct?: number;
}

export class NewSubUserDto extends AskedPartnerDto {
  @TextField({
    example: 'ada',
    matches: USERNAME_PATTERN,
    expected: '3 to 64 letters, digits, or any of . _ @ -',
  })
  readonly username!: string;

  @ApiProperty({ example: 'ada@example.com', maxLength: EMAIL_LENGTH_MAX })
  @IsEmail({}, { message: EMAIL })
  @Length(3, EMAIL_LENGTH_MAX, { message: EMAIL })
  readonly email!: string;

  @TextField({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX })
  readonly password!: string;
}

export class BrandingDto {
  @ColorField('#7a3e1d')
  readonly primary_color!: string;

  @ColorField('#c9a227')
  readonly accent_color!: string;

  @ColorField('#ffffff')
  readonly body_bg_color!: string;

  @ColorField('#f5f0e8')
  readonly card_bg_color!: string;
}

export class PartnerProfileDto {
  @TextField({ example: 'Andes Cloud', maxLength: NAME_LENGTH_MAX, minLength: 1 })
  readonly partner_name!: string;

  @ObjectField(BrandingDto, { expected: 'an object with the four colours' })
  readonly branding!: BrandingDto;
}

export class NewPartnerDto extends PartnerProfileDto {
  @TextField({
    example: 'andes-cloud',
    description: 'Unique, and never changed.',
    matches: /^[a-z][a-z0-9-]{0,62}$/,
    expected: 'lower case letters, digits and -',
  })
  readonly partner_slug!: string;

  @PercentField('What the partner gets of each charge; two decimals at most.')
  readonly revenue_share_pct!: number;

  @PercentField('What the partner may raise its share to; default: its share.', { required: false })
  readonly revenue_share_max_pct?: number;
}

export class PartnerDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'Andes Cloud' })
  readonly partner_name!: string;
  @ApiProperty({ example: 'andes-cloud' })
  readonly partner_slug!: string;
  @ApiProperty({ example: 15 })
  readonly revenue_share_pct!: number;
  @ApiProperty({ example: 20, description: 'What the partner may raise its share to.' })
  readonly revenue_share_max_pct!: number;
  @ApiProperty({ type: BrandingDto })
  readonly branding!: BrandingDto;
  @ApiProperty({ type: [String], example: ['local-vllm'], description: 'The rigs of its fleet.' })
  readonly fleet_rigs!: readonly string[];
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly registered_at!: string;
}

class PartnerMetricsDto {
  @ApiProperty({ example: 2, description: 'Sub-users of now.' })
  readonly sub_users_count!: number;
  @ApiProperty({ example: 1 })
  readonly fleet_rigs_count!: number;
  @ApiProperty({ example: 12.5, description: 'Charges of sub-users in this month, UTC.' })
  readonly monthly_volume_usd!: number;
  @ApiProperty({ example: 1.875, description: 'What of it is the partner’s.' })
  readonly reseller_earnings_usd!: number;
  @ApiProperty({ example: 120, description: 'Charges of sub-users in all.' })
  readonly lifetime_volume_usd!: number;
  @ApiProperty({ example: 18, description: 'What of it is the partner’s.' })
  readonly lifetime_earnings_usd!: number;
}

export class PartnerOverviewDto extends PositionedAnswerDto {
  @ApiProperty({ type: PartnerDto })
  readonly partner!: PartnerDto;
  @ApiProperty({ type: PartnerMetricsDto })
  readonly metrics!: PartnerMetricsDto;
  @ApiProperty({
    description: 'Charges count that are among so many events of the log.',
    example: '41',
  })
  readonly accrued_through!: string;
}

export class PartnerListDto extends PageOfListDto {
  @ApiProperty({ type: [PartnerDto], description: 'By id.' })
  readonly partners!: readonly PartnerDto[];
}

export class SubUserDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @NullableField(String, 'Null: the user was erased.')
  readonly username!: string | null;
  @NullableField(String, 'Null: the user was erased.')
  readonly email!: string | null;
  @ApiProperty({ enum: ['active', 'left', 'erased'] })
  readonly status!: 'active' | 'left' | 'erased';
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z', description: 'The first time.' })
  readonly joined_at!: string;
  @NullableInstant('Null: a sub-user of now.')
  readonly left_at!: string | null;
  @ApiProperty({ example: 12.5, description: 'Charges of this month, as a sub-user.' })
  readonly monthly_volume_usd!: number;
  @ApiProperty({ example: 1.875, description: 'What of it is the partner’s.' })
  readonly reseller_earnings_usd!: number;
  @ApiProperty({ example: 120 })
  readonly lifetime_volume_usd!: number;
  @ApiProperty({ example: 18 })
  readonly lifetime_earnings_usd!: number;
  @ApiProperty({ example: 31, description: 'Charges in all, as a sub-user.' })
  readonly charges!: number;
  @NullableInstant('The beginning of the last hour with a charge; null for none.')
  readonly last_charged_hour!: string | null;
}

export class SubUserListDto extends PageOfListDto {
  @ApiProperty({ type: [SubUserDto], description: 'By user id.' })
  readonly sub_users!: readonly SubUserDto[];
}

export class NewSubUserResultDto extends AnswerDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: 1 })
  readonly partner_id!: number;
}

export class PartnerResultDto extends PositionedAnswerDto {
  @ApiProperty({ type: PartnerDto })
  readonly partner!: PartnerDto;
}
