import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsEmail,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { NumberText } from '../bodies/number-text.js';
import { HasDecimals } from '../amounts/decimals.validator.js';
import {
  EMAIL_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  USERNAME_PATTERN,
} from '#areas/identity/users/user-details.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

const NAME_LENGTH_MAX = 100;
const ID_MAX = Number.MAX_SAFE_INTEGER;
const RIG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const COLOR_PATTERN = /^#[0-9a-f]{6}$/;

const id = (description: string) => ({ type: 'integer' as const, minimum: 1, description });
const percent = (description: string) => ({ minimum: 0, maximum: 100, example: 15, description });
const color = (example: string) => ({ example, pattern: COLOR_PATTERN.source });
const instant = (description: string) => ({
  type: String,
  nullable: true,
  example: '2026-11-21T04:48:00.000Z',
  description,
});

const ASKED_PARTNER =
  'The partner. An Admin who names none sees the first one, and changes the only one; for others ' +
  'it is the own one.';

export class AskedPartnerDto {
  @ApiPropertyOptional(id(ASKED_PARTNER))
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'partner_id must be an integer' })
  @Min(1)
  @Max(ID_MAX)
  readonly partner_id?: number;
}

export class PartnerQueryDto extends AsOfDto {
  @ApiPropertyOptional(id(ASKED_PARTNER))
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'partner_id must be an integer' })
  @Min(1)
  @Max(ID_MAX)
  readonly partner_id?: number;
}

export class SubUsersPageDto extends PageDto {
  @ApiPropertyOptional(id(ASKED_PARTNER))
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'partner_id must be an integer' })
  @Min(1)
  @Max(ID_MAX)
  readonly partner_id?: number;
}

export class PartnerPathDto {
  @ApiProperty(id('The partner.'))
  @NumberText()
  @IsInt({ message: 'partner_id must be an integer' })
  @Min(1)
  @Max(ID_MAX)
  readonly partner_id!: number;
}

export class PartnerUserPathDto extends PartnerPathDto {
  @ApiProperty(id('The user.'))
  @NumberText()
  @IsInt({ message: 'user_id must be an integer' })
  @Min(1)
  @Max(ID_MAX)
  readonly user_id!: number;
}

export class PartnerRigPathDto extends PartnerPathDto {
  @ApiProperty({ description: 'The name of a rig of the catalog.' })
  @Matches(RIG_PATTERN, { message: 'rig must be the name of a rig' })
  readonly rig!: string;
}

export class MarginsDto extends AskedPartnerDto {
  @ApiProperty(percent('What the partner gets of each charge that follows; two decimals at most.'))
  @HasDecimals(2)
  @Min(0)
  @Max(100)
  readonly revenue_share_pct!: number;

  @ApiPropertyOptional(percent('What the partner may raise its share to. Only for an Admin.'))
  @IsOptional()
  @HasDecimals(2)
  @Min(0)
  @Max(100)
  readonly revenue_share_max_pct?: number;
}

export class NewSubUserDto extends AskedPartnerDto {
  @ApiProperty({ example: 'ada', pattern: USERNAME_PATTERN.source })
  @Matches(USERNAME_PATTERN, { message: 'username: 3 to 64 letters, digits, or any of . _ @ -' })
  readonly username!: string;

  @ApiProperty({ example: 'ada@example.com', maxLength: EMAIL_LENGTH_MAX })
  @IsEmail()
  @Length(3, EMAIL_LENGTH_MAX)
  readonly email!: string;

  @ApiProperty({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX })
  @IsString()
  @Length(PASSWORD_LENGTH_MIN, PASSWORD_LENGTH_MAX)
  readonly password!: string;
}

export class BrandingDto {
  @ApiProperty(color('#7a3e1d'))
  @Matches(COLOR_PATTERN, { message: 'primary_color must be a colour such as #7a3e1d' })
  readonly primary_color!: string;

  @ApiProperty(color('#c9a227'))
  @Matches(COLOR_PATTERN, { message: 'accent_color must be a colour such as #c9a227' })
  readonly accent_color!: string;

  @ApiProperty(color('#ffffff'))
  @Matches(COLOR_PATTERN, { message: 'body_bg_color must be a colour such as #ffffff' })
  readonly body_bg_color!: string;

  @ApiProperty(color('#f5f0e8'))
  @Matches(COLOR_PATTERN, { message: 'card_bg_color must be a colour such as #f5f0e8' })
  readonly card_bg_color!: string;
}

export class PartnerProfileDto {
  @ApiProperty({ example: 'Andes Cloud', maxLength: NAME_LENGTH_MAX })
  @IsString()
  @Length(1, NAME_LENGTH_MAX)
  readonly partner_name!: string;

  @ApiProperty({ type: BrandingDto })
  @IsObject({ message: 'branding must have the four colours' })
  @ValidateNested()
  @Type(() => BrandingDto)
  readonly branding!: BrandingDto;
}

export class NewPartnerDto extends PartnerProfileDto {
  @ApiProperty({ example: 'andes-cloud', description: 'Unique, and never changed.' })
  @Matches(/^[a-z][a-z0-9-]{0,62}$/, { message: 'partner_slug: lower case letters, digits and -' })
  readonly partner_slug!: string;

  @ApiProperty(percent('What the partner gets of each charge; two decimals at most.'))
  @HasDecimals(2)
  @Min(0)
  @Max(100)
  readonly revenue_share_pct!: number;

  @ApiPropertyOptional(percent('What the partner may raise its share to; default: its share.'))
  @IsOptional()
  @HasDecimals(2)
  @Min(0)
  @Max(100)
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

export class PartnerOverviewDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ type: PartnerDto })
  readonly partner!: PartnerDto;
  @ApiProperty({ type: PartnerMetricsDto })
  readonly metrics!: PartnerMetricsDto;
  @ApiProperty({ description: 'The log position up to which charges count.', example: '41' })
  readonly accrued_through!: string;
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}

export class PartnerListDto extends PageOfListDto {
  @ApiProperty({ type: [PartnerDto], description: 'By id.' })
  readonly partners!: readonly PartnerDto[];
}

export class SubUserDto {
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the user was erased.' })
  readonly username!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the user was erased.' })
  readonly email!: string | null;
  @ApiProperty({ enum: ['active', 'left', 'erased'] })
  readonly status!: 'active' | 'left' | 'erased';
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z', description: 'The first time.' })
  readonly joined_at!: string;
  @ApiProperty(instant('Null: a sub-user of now.'))
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
  @ApiProperty(instant('The beginning of the last hour with a charge; null for none.'))
  readonly last_charged_hour!: string | null;
}

export class SubUserListDto extends PageOfListDto {
  @ApiProperty({ type: [SubUserDto], description: 'By user id.' })
  readonly sub_users!: readonly SubUserDto[];
}

export class NewSubUserResultDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ example: 1 })
  readonly partner_id!: number;
}

export class PartnerResultDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ type: PartnerDto })
  readonly partner!: PartnerDto;
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}
