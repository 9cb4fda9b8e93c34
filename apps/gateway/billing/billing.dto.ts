import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { PAGE_LIMIT_DEFAULT } from '../pages/page.dto.js';
import { TablesUsedDto } from '../tax/tax.dto.js';
import { StatementTaxDto } from './statements.dto.js';

class TelemetryDto {
  @ApiProperty({ description: 'Charges of the last 24 hours, per hour.', example: 0.0125 })
  readonly burn_rate_per_hour!: number;
  @NullableField(Number, 'Null while the burn rate is zero.')
  readonly runway_hours!: number | null;
  @NullableField(Number, 'The same, in days.')
  readonly runway_days!: number | null;
  @ApiProperty({ description: 'Running work that has a hold.', example: 0 })
  readonly active_compute_jobs!: number;
  @ApiProperty({ description: 'Charges for products of the group compute.', example: 0 })
  readonly total_compute_spend!: number;
  @ApiProperty({ description: 'Charges for products of the group inference.', example: 0.3 })
  readonly total_inference_spend!: number;
  @ApiProperty({ example: 10 })
  readonly lifetime_deposited!: number;
}

class OverviewTaxDto extends TablesUsedDto {
  @NullableField(String, 'Null: not known.')
  readonly iso_country!: string | null;
  @NullableField(Boolean)
  readonly tax_exempt!: boolean | null;
  @NullableField(Number)
  readonly vat_rate_pct!: number | null;
}

export class BalanceOverviewDto extends PositionedAnswerDto {
  @ApiProperty({ description: 'Deposits minus charges plus adjustments.', example: 9.7 })
  readonly balance_usd!: number;
  @ApiProperty({
    description:
      'The balance without the open holds; below zero after a chargeback of spent money.',
    example: 9.7,
  })
  readonly available_usd!: number;
  @ApiProperty({ description: 'The open holds of running work.', example: 0 })
  readonly held_usd!: number;
  @ApiProperty({ description: 'Credit notes and re-ratings; above zero: given back.', example: 0 })
  readonly adjusted_usd!: number;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
  @ApiProperty({ type: TelemetryDto })
  readonly telemetry!: TelemetryDto;
  @ApiProperty({ type: OverviewTaxDto })
  readonly tax_status!: OverviewTaxDto;
}

class InvoiceDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'opening-credit' })
  readonly reference_id!: string;
  @ApiProperty({ enum: ['deposit', 'refund', 'chargeback', 'usage', 'credit_note', 'rerating'] })
  readonly invoice_type!: string;
  @ApiProperty({ example: 10 })
  readonly amount!: number;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
  @ApiProperty({ example: 'opening_credit' })
  readonly payment_method!: string;
  @ApiProperty({
    enum: ['completed', 'open', 'pending', 'detected', 'confirming', 'expired', 'underpaid'],
    description: 'A crypto invoice is listed until it is paid; its payments are deposits.',
  })
  readonly status!: string;
  @ApiProperty({ example: '2026-11-21 04:48:00' })
  readonly created_at!: string;
  @NullableField(String, 'Null: no payment is due.')
  readonly payment_url!: string | null;
  @NullableField(
    StatementTaxDto,
    'The tax that a closed statement states. Null for a deposit: its tax is due when spent.',
  )
  readonly tax!: StatementTaxDto | null;
}

export class InvoiceListDto extends AnswerDto {
  @ApiProperty({ example: 9.7 })
  readonly balance_usd!: number;
  @ApiProperty({ example: 1 })
  readonly page!: number;
  @ApiProperty({ example: PAGE_LIMIT_DEFAULT })
  readonly limit!: number;
  @ApiProperty({ example: 2 })
  readonly total_records!: number;
  @ApiProperty({ example: 1 })
  readonly total_pages!: number;
  @ApiProperty({ type: [InvoiceDto] })
  readonly invoices!: readonly InvoiceDto[];
  @ApiProperty({ example: '42' })
  readonly position!: string;
}
