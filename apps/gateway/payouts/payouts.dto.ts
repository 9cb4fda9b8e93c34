import { ApiProperty } from '@nestjs/swagger';
import { type PayoutStatus } from '#projections/payouts/payouts.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import {
  ChoiceField,
  FlagField,
  NumberField,
  TextField,
  UuidField,
} from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const BENEFICIARY = /^(partner|investor)-[1-9]\d{0,15}$/;
const BENEFICIARY_EXPECTED = 'an id such as partner-1 or investor-9';
/** In dollars. */
const AMOUNT_MAX = 1_000_000_000;
const REASON_LENGTH_MAX = 500;
const REFERENCE_LENGTH_MAX = 200;
const STATUSES: readonly PayoutStatus[] = ['requested', 'approved', 'rejected', 'paid'];
const INCOME_TYPES = ['industrial_royalties', 'other_income'] as const;

export class PayoutsPageDto extends PageDto {
  @TextField({
    required: false,
    example: 'partner-1',
    description: 'Who is paid. An Admin names it; for others it is their own id.',
    matches: BENEFICIARY,
    expected: BENEFICIARY_EXPECTED,
  })
  readonly beneficiary?: string;
}

export class NewPayoutDto {
  @TextField({
    required: false,
    example: 'partner-1',
    description: 'Who is paid. An Admin names it; for others it is their own id.',
    matches: BENEFICIARY,
    expected: BENEFICIARY_EXPECTED,
  })
  readonly beneficiary?: string;

  @NumberField({
    required: false,
    example: 120.5,
    description: 'Six decimals at most. Default: everything that is not asked for yet.',
    minimum: 0,
    maximum: AMOUNT_MAX,
    decimalsMax: 6,
  })
  readonly amount_usd?: number;
}

export class PayoutPathDto {
  @TextField({
    description: 'Who is paid, such as partner-1 or investor-9.',
    matches: BENEFICIARY,
    expected: BENEFICIARY_EXPECTED,
  })
  readonly beneficiary!: string;

  @UuidField({ description: 'The id of the payout.' })
  readonly payout_id!: string;
}

export class ApprovalDto {
  @TextField({
    example: 'DE',
    description: 'Of the payee: ISO 3166-1 alpha-2.',
    matches: /^[A-Z]{2}$/,
    expected: 'a code such as DE',
  })
  readonly country!: string;

  @ChoiceField(INCOME_TYPES, { required: false, default: 'industrial_royalties' })
  readonly income_type: (typeof INCOME_TYPES)[number] = 'industrial_royalties';

  @FlagField({
    required: false,
    default: false,
    description: 'Whether the payee has a valid claim of the benefits of a tax treaty.',
  })
  readonly treaty_claimed: boolean = false;
}

export class RejectionDto {
  @TextField({ example: 'The bank account is closed.', maxLength: REASON_LENGTH_MAX, minLength: 1 })
  readonly reason!: string;
}

export class PaymentDto {
  @TextField({
    example: 'SEPA-2026-11-0042',
    maxLength: REFERENCE_LENGTH_MAX,
    description: 'Of the transfer. It must name no person.',
    minLength: 1,
  })
  readonly reference!: string;
}

class PayoutTaxDto {
  @ApiProperty({ example: 'MX' })
  readonly country!: string;
  @ApiProperty({ enum: INCOME_TYPES })
  readonly income_type!: string;
  @ApiProperty({ example: true })
  readonly treaty_claimed!: boolean;
  @ApiProperty({ example: 10 })
  readonly rate_pct!: number;
  @ApiProperty({ example: 12.05 })
  readonly withheld_usd!: number;
  @ApiProperty({ example: 'Article 12' })
  readonly article!: string;
  @ApiProperty({ example: 'IRS, Table 1 (Rev. Feb 2019)' })
  readonly source!: string;
  @ApiProperty({ example: '2019-02-28', description: 'The date of the source.' })
  readonly as_of!: string;
}

export class PayoutDto {
  @ApiProperty({ example: '01890a5d-ac96-774b-bcce-b302099a8103' })
  readonly payout_id!: string;
  @ApiProperty({ example: 'partner-1' })
  readonly beneficiary!: string;
  @ApiProperty({ enum: STATUSES })
  readonly status!: PayoutStatus;
  @ApiProperty({ example: 120.5, description: 'Before tax.' })
  readonly amount_usd!: number;
  @NullableField(PayoutTaxDto, 'Null until it is approved.')
  readonly tax!: PayoutTaxDto | null;
  @NullableField(Number, 'Null until it is approved.')
  readonly net_usd!: number | null;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly requested_at!: string;
  @NullableInstant('Null until it is approved.')
  readonly approved_at!: string | null;
  @NullableInstant('When it was paid or rejected.')
  readonly ended_at!: string | null;
  @NullableField(String, 'Why it was rejected.')
  readonly reason!: string | null;
  @NullableField(String, 'Of the transfer.')
  readonly reference!: string | null;
}

class PayeeBalanceDto {
  @ApiProperty({ example: 300, description: 'Earned in all.' })
  readonly accrued_usd!: number;
  @ApiProperty({ example: 120.5, description: 'Asked for, and neither paid nor rejected.' })
  readonly open_usd!: number;
  @ApiProperty({ example: 100, description: 'Before tax.' })
  readonly paid_usd!: number;
  @ApiProperty({ example: 10, description: 'The tax of the payment.' })
  readonly withheld_usd!: number;
  @ApiProperty({
    example: 79.5,
    description: 'What can be asked for; below zero after corrections.',
  })
  readonly available_usd!: number;
}

export class PayoutListDto extends PageOfListDto {
  @ApiProperty({ example: 'partner-1' })
  readonly beneficiary!: string;
  @ApiProperty({ type: PayeeBalanceDto })
  readonly balance!: PayeeBalanceDto;
  @ApiProperty({ type: [PayoutDto], description: 'Newest first.' })
  readonly payouts!: readonly PayoutDto[];
}

export class OpenPayoutListDto extends PageOfListDto {
  @ApiProperty({ type: [PayoutDto], description: 'Oldest first.' })
  readonly payouts!: readonly PayoutDto[];
}

export class PayoutResultDto extends AnswerDto {
  @ApiProperty({ example: 'partner-1' })
  readonly beneficiary!: string;
  @ApiProperty({ example: '01890a5d-ac96-774b-bcce-b302099a8103' })
  readonly payout_id!: string;
}
