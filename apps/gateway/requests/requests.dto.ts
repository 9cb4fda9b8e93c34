import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ACTIONS, DIRECTIONS } from '#areas/guards/rules/guard-rule.js';
import { REQUEST_STATUSES, type RequestStatus } from '#projections/requests/requests.projection.js';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { IsInstant } from '../fields/instant.validator.js';
import { ChoiceField, CursorField, IntegerField, TextField } from '../fields/request-fields.js';
import { EstimatedTierDto } from '../inference/estimate.dto.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const INSTANT = { message: 'an ISO 8601 instant such as 2026-11-21T04:48:00Z' };

/** Of which account; another one than the caller's needs the role Admin. */
export class AccountOptionDto extends AsOfDto {
  @TextField({
    required: false,
    description: 'Of another account, for an Admin.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  })
  readonly account_id?: string;
}

export class RequestsPageDto extends AccountOptionDto {
  @ApiProperty({ required: false, description: 'Only requests that ended from here on.' })
  @IsOptional()
  @IsInstant(INSTANT)
  readonly from?: string;

  @ApiProperty({ required: false, description: 'Only requests that ended before.' })
  @IsOptional()
  @IsInstant(INSTANT)
  readonly to?: string;

  @TextField({
    required: false,
    description: 'Only of this key, by its id.',
    matches: /^[0-9a-f]{16}$/,
    expected: 'the id of a key: 16 hex digits',
  })
  readonly key?: string;

  @TextField({ required: false, maxLength: 256, description: 'Only for this model.' })
  readonly model?: string;

  @TextField({ required: false, maxLength: 64, description: 'Only with work of this rig.' })
  readonly rig?: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 512,
    description: 'Only of this end user: as the requests named it, or its hash.',
  })
  readonly user?: string;

  @TextField({
    required: false,
    description: 'Only with this tag.',
    example: 'project=alpha',
    matches: /^[^=]+=.+$/,
    expected: 'a tag such as project=alpha',
  })
  readonly tag?: string;

  @ChoiceField(REQUEST_STATUSES, { required: false, description: 'Only with this end.' })
  readonly status?: RequestStatus;

  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
    description: 'The requests of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;
}

class UsedMeterDto {
  @ApiProperty({ example: 'output_tokens' })
  readonly meter!: string;
  @ApiProperty({ example: 141 })
  readonly quantity!: number;
}

class GuardHitDto {
  @ApiProperty({ example: 'mail', description: 'The id of the rule of the operator.' })
  readonly rule!: string;
  @ApiProperty({ enum: ACTIONS })
  readonly action!: string;
  @ApiProperty({ enum: DIRECTIONS, description: 'The side in which it was found.' })
  readonly on!: string;
  @ApiProperty({ example: 2, description: 'How often.' })
  readonly matches!: number;
  @ApiProperty({ example: false, description: 'The rule could not read the texts.' })
  readonly failed!: boolean;
}

export class AccountRequestDto {
  @ApiProperty({ format: 'uuid', description: 'The `x-request-id` of the answer.' })
  readonly id!: string;
  @InstantField('When the request was priced.')
  readonly placed_at!: string;
  @InstantField('When its hold ended.')
  readonly ended_at!: string;
  @ApiProperty({ enum: REQUEST_STATUSES })
  readonly status!: RequestStatus;
  @NullableField(String, 'How the work ended, or why it was not charged.', 'completed')
  readonly reason!: string | null;
  @ApiProperty({ example: 'chat_completion' })
  readonly product!: string;
  @NullableField(String, 'The routing mode. Null: the interface has none.', 'auto')
  readonly mode!: string | null;
  @NullableField(String, 'The model that was asked for. Null: none, or several.', 'quipu/nano')
  readonly model!: string | null;
  @ApiProperty({ type: [String], example: ['local-vllm'] })
  readonly rigs!: readonly string[];
  @NullableField(String, 'Null: no key asked.', '2b9ac6a26d6d9ca1')
  readonly key_id!: string | null;
  @NullableField(String, 'Null: no key asked, or the key is revoked.', 'nightly batch')
  readonly key_name!: string | null;
  @NullableField(String, 'A keyed hash of the end user. Null: none was named.')
  readonly end_user!: string | null;
  @ApiProperty({ type: [String], example: ['env=prod', 'project=alpha'] })
  readonly tags!: readonly string[];
  @ApiProperty({ type: [UsedMeterDto], description: 'Charged units by their class.' })
  readonly usage!: readonly UsedMeterDto[];
  @ApiProperty({ type: [EstimatedTierDto], description: 'Of prices beside the standard one.' })
  readonly price_tiers!: readonly EstimatedTierDto[];
  @ApiProperty({ example: '0.00012', description: 'Exact, before corrections.' })
  readonly cost_usd!: string;
  @NullableField(Number, 'To the first part of a stream. Null: not measured.', 412)
  readonly first_byte_ms!: number | null;
  @ApiProperty({ example: 2_785, description: 'From the pricing to the end of the hold.' })
  readonly total_ms!: number;
  @ApiProperty({ type: [GuardHitDto], description: 'Never a text. Recorded within a second.' })
  readonly guard_hits!: readonly GuardHitDto[];
}

export class AccountRequestsDto extends PositionedAnswerDto {
  @ApiProperty({ type: [AccountRequestDto] })
  readonly requests!: readonly AccountRequestDto[];
  @NullableField(String, 'Where the next page begins. Null: this is the last one.')
  readonly next_after!: string | null;
}

export class AccountRequestAnswerDto extends PositionedAnswerDto {
  @ApiProperty({ type: AccountRequestDto })
  readonly request!: AccountRequestDto;
}
