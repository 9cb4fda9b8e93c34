import { ApiProperty } from '@nestjs/swagger';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';

const amount = (description?: string) => ({
  ...(description !== undefined && { description }),
  example: '17',
});

export class StatementMonthDto {
  @TextField({
    example: '2026-11',
    description: 'The month, in UTC.',
    matches: /^\d{4}-(0[1-9]|1[0-2])$/,
    expected: 'YYYY-MM, such as 2026-11',
  })
  readonly month!: string;
}

class StatementLineDto {
  @ApiProperty({
    example: '2026-11-21',
    description: 'In UTC. Before the month for a charge that came after its month was closed.',
  })
  readonly day!: string;
  @NullableField(String, undefined, 'quipu/nano')
  readonly model!: string | null;
  @NullableField(String, 'The id of the charged job.')
  readonly job!: string | null;
  @ApiProperty({ example: 'chat_completion' })
  readonly purpose!: string;
  @ApiProperty({
    example: 'input_tokens',
    description:
      'What is counted. `rounding`: what the charges of this day, model, job and purpose come to ' +
      'above their other lines, since each charge is rounded up once.',
  })
  readonly meter!: string;
  @NullableField(Number, 'Null for the rounding.', 3)
  readonly rate_card_version!: number | null;
  @ApiProperty({ example: '9', description: 'Units, in decimal.' })
  readonly quantity!: string;
  @ApiProperty(amount('The price of so many units as `per_units` says.'))
  readonly unit_price_micro_usd!: string;
  @ApiProperty({ example: 1_000_000 })
  readonly per_units!: number;
  @ApiProperty(amount('quantity * unit price / per_units, rounded down.'))
  readonly amount_micro_usd!: string;
  @ApiProperty({ example: 1, description: 'The charges that the line is part of.' })
  readonly charges!: number;
}

class StatementDepositDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'opening-credit' })
  readonly reference_id!: string;
  @ApiProperty({ example: 'opening_credit' })
  readonly payment_method!: string;
  @ApiProperty(amount())
  readonly amount_micro_usd!: string;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly deposited_at!: string;
}

class StatementAdjustmentDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'outage-november' })
  readonly reference_id!: string;
  @ApiProperty({ enum: ['credit_note', 'rerating'] })
  readonly kind!: string;
  @ApiProperty(amount('Above zero: given back. Below zero: charged in addition.'))
  readonly amount_micro_usd!: string;
  @ApiProperty({ example: '2026-10', description: 'The statement that is corrected.' })
  readonly refers_to_month!: string;
  @NullableField(String, 'The charge that is corrected.')
  readonly refers_to_request!: string | null;
  @ApiProperty({ example: 'slow answers' })
  readonly reason!: string;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly adjusted_at!: string;
}

export class StatementTaxDto {
  @ApiProperty({ example: 'DE', description: 'ISO 3166-1 alpha-2.' })
  readonly country!: string;
  @NullableField(String)
  readonly region!: string | null;
  @ApiProperty({ enum: ['taxable', 'exempt', 'reverse_charge', 'outside_scope'] })
  readonly treatment!: string;
  @ApiProperty({ example: 'vat' })
  readonly kind!: string;
  @ApiProperty({ example: 19 })
  readonly rate_pct!: number;
  @ApiProperty(amount('Charges less adjustments; the tax is included.'))
  readonly gross_micro_usd!: string;
  @ApiProperty(amount('gross * rate / (100 + rate), to the nearest micro-dollar.'))
  readonly tax_micro_usd!: string;
  @ApiProperty({ example: 'sales-tax 2.23.0', description: 'Where the rate is from.' })
  readonly source!: string;
}

class StatementTotalsDto {
  @ApiProperty(amount())
  readonly deposited_micro_usd!: string;
  @ApiProperty(amount('The sum of the lines.'))
  readonly charged_micro_usd!: string;
  @ApiProperty(amount())
  readonly adjusted_micro_usd!: string;
  @ApiProperty({ example: 1 })
  readonly charges!: number;
}

export class StatementDto extends PositionedAnswerDto {
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @ApiProperty({ example: '2026-11' })
  readonly month!: string;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
  @ApiProperty({
    enum: ['open', 'closing', 'closed'],
    description:
      'open: the month is not over. closing: it is over, and late charges may still come. ' +
      'closed: it never changes; corrections are on the statement of the month they are made in.',
  })
  readonly status!: string;
  @ApiProperty(amount('Deposits less charges plus adjustments before the month.'))
  readonly opening_micro_usd!: string;
  @ApiProperty(amount('Opening + deposits - charges + adjustments.'))
  readonly closing_micro_usd!: string;
  @ApiProperty({ type: [StatementLineDto] })
  readonly lines!: readonly StatementLineDto[];
  @ApiProperty({ type: [StatementDepositDto] })
  readonly deposits!: readonly StatementDepositDto[];
  @ApiProperty({ type: [StatementAdjustmentDto] })
  readonly adjustments!: readonly StatementAdjustmentDto[];
  @NullableField(
    StatementTaxDto,
    'Decided when the month is closed. Null before, and without a tax status.',
  )
  readonly tax!: StatementTaxDto | null;
  @ApiProperty({ type: StatementTotalsDto })
  readonly totals!: StatementTotalsDto;
  @NullableField(String, undefined, null)
  readonly closed_at!: string | null;
}
