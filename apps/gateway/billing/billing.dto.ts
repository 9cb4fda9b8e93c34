import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** The largest page number; no account has records beyond it. */
const PAGE_MAX = 1_000_000;

export class InvoicesPageDto {
  @ApiProperty({ required: false, default: 1, minimum: 1, maximum: PAGE_MAX })
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'page must be an integer' })
  @Min(1, { message: 'page must not be less than 1' })
  @Max(PAGE_MAX, { message: `page must not be above ${PAGE_MAX}` })
  readonly page: number = 1;

  @ApiProperty({
    required: false,
    default: PAGE_LIMIT_DEFAULT,
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'limit must be an integer' })
  @Min(1, { message: 'limit must not be less than 1' })
  @Max(PAGE_LIMIT_MAX, { message: `limit must not be above ${PAGE_LIMIT_MAX}` })
  readonly limit: number = PAGE_LIMIT_DEFAULT;
}

class TelemetryDto {
  @ApiProperty({ description: 'Charges of the last 24 hours, per hour.', example: 0.0125 })
  readonly burn_rate_per_hour!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Null while nothing is spent.' })
  readonly runway_hours!: number | null;
  @ApiProperty({ type: Number, nullable: true })
  readonly runway_days!: number | null;
  @ApiProperty({ description: 'Work under way that holds money.', example: 0 })
  readonly active_compute_jobs!: number;
  @ApiProperty({ description: 'Charges for products of the group compute.', example: 0 })
  readonly total_compute_spend!: number;
  @ApiProperty({ description: 'Charges for products of the group inference.', example: 0.3 })
  readonly total_inference_spend!: number;
  @ApiProperty({ example: 10 })
  readonly lifetime_deposited!: number;
}

class TaxStatusDto {
  @ApiProperty({ type: String, nullable: true, description: 'Null: not stated yet.' })
  readonly iso_country!: string | null;
  @ApiProperty({ type: Boolean, nullable: true })
  readonly tax_exempt!: boolean | null;
  @ApiProperty({ type: Number, nullable: true })
  readonly vat_rate_pct!: number | null;
}

export class BalanceOverviewDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ description: 'Deposits less charges.', example: 9.7 })
  readonly balance_usd!: number;
  @ApiProperty({ description: 'What the next request may hold.', example: 9.7 })
  readonly available_usd!: number;
  @ApiProperty({ description: 'Promised to work under way.', example: 0 })
  readonly held_usd!: number;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
  @ApiProperty({ type: TelemetryDto })
  readonly telemetry!: TelemetryDto;
  @ApiProperty({ type: TaxStatusDto })
  readonly tax_status!: TaxStatusDto;
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}

class InvoiceDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: 'opening-credit' })
  readonly reference_id!: string;
  @ApiProperty({ enum: ['deposit', 'usage'] })
  readonly invoice_type!: string;
  @ApiProperty({ example: 10 })
  readonly amount!: number;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
  @ApiProperty({ example: 'opening_credit' })
  readonly payment_method!: string;
  @ApiProperty({ enum: ['completed', 'open'] })
  readonly status!: string;
  @ApiProperty({ example: '2026-11-21 04:48:00' })
  readonly created_at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: there is nothing to pay.' })
  readonly payment_url!: string | null;
}

export class InvoiceListDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
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
