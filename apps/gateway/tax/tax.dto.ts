import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';

const COUNTRY = /^[A-Z]{2}$/;
const COUNTRY_MESSAGE = 'country must be two capital letters (ISO 3166-1 alpha-2), such as DE';

/** Dollars below a trillion, with at most 6 decimals. */
const AMOUNT = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;

export class TaxComplianceQueryDto {
  @ApiProperty({ example: 'DE', pattern: COUNTRY.source, description: 'ISO 3166-1 alpha-2.' })
  @Matches(COUNTRY, { message: COUNTRY_MESSAGE })
  readonly country!: string;

  @ApiProperty({
    type: String,
    example: '1000.00',
    pattern: AMOUNT.source,
    description: 'The gross payout in USD, with at most 6 decimals.',
  })
  @Matches(AMOUNT, { message: 'amount must be dollars with at most 6 decimals, such as 12.50' })
  readonly amount!: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: 'Whether the payee has claimed treaty benefits, such as by Form W-8BEN.',
  })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'treaty_claimed must be true or false' })
  readonly treaty_claimed: 'true' | 'false' = 'false';
}

class WithholdingBasisDto {
  @ApiProperty({ example: 'industrial_royalties' })
  readonly income_type!: string;
  @ApiProperty({ example: 'Article 12', description: 'Of the tax treaty, or the law.' })
  readonly article!: string;
  @ApiProperty()
  readonly source!: string;
  @ApiProperty({ example: '2019-02-28', description: 'The date of the source.' })
  readonly as_of!: string;
  @ApiProperty({
    example: 'sales-tax 2.23.0 (2026-07-17)',
    description: 'The table or the law that the rate of VAT or GST is from, and its date.',
  })
  readonly vat_source!: string;
  @ApiProperty({ description: 'Whether a second source confirms the rate of VAT or GST.' })
  readonly vat_verified!: boolean;
}

class TableDatesDto {
  @ApiProperty({ type: String, nullable: true, example: '2026-07-17' })
  readonly vat!: string | null;
  @ApiProperty({ type: String, nullable: true, example: '2019-02-28' })
  readonly withholding!: string | null;
}

export class TablesUsedDto {
  @ApiProperty({
    type: TableDatesDto,
    description: 'The date of each table that the answer is from; null: it is not used.',
  })
  readonly tables_as_of!: TableDatesDto;
  @ApiProperty({
    type: [String],
    example: ['withholding'],
    description: 'The tables that are older than `QUIPU_TAX_TABLE_DAYS`: verify their rates.',
  })
  readonly stale_tables!: readonly string[];
}

export class TaxComplianceDto extends TablesUsedDto {
  @ApiProperty({ example: 'DE' })
  readonly country!: string;
  @ApiProperty({ example: 1_000 })
  readonly gross_amount!: number;
  @ApiProperty({ example: 30 })
  readonly withholding_rate_pct!: number;
  @ApiProperty({ example: 300, description: 'Rounded down to a millionth of a dollar.' })
  readonly withheld_amount!: number;
  @ApiProperty({ description: 'Whether the country has a VAT or GST.' })
  readonly vat_applicable!: boolean;
  @ApiProperty({
    example: 19,
    description: 'The standard rate of the country. It is never taken off a payout.',
  })
  readonly vat_rate_pct!: number;
  @ApiProperty({ example: 700, description: 'gross_amount - withheld_amount.' })
  readonly net_payout!: number;
  @ApiProperty({ description: 'The rule, and every assumption of the answer.' })
  readonly compliance_regime!: string;
  @ApiProperty({ type: WithholdingBasisDto })
  readonly basis!: WithholdingBasisDto;
}

export class AccountIdDto {
  @ApiProperty({ example: '7', description: 'The id of the account.' })
  @Matches(/^[a-z0-9][a-z0-9-]{0,63}$/, { message: 'account_id must be the id of an account' })
  readonly account_id!: string;
}

export class DeclareCountryDto {
  @ApiProperty({ example: 'DE', pattern: COUNTRY.source, description: 'ISO 3166-1 alpha-2.' })
  @Matches(COUNTRY, { message: COUNTRY_MESSAGE })
  readonly country!: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'QC',
    description: 'ISO 3166-2 without the country, where regions have taxes of their own.',
  })
  @IsOptional()
  @Matches(/^[A-Z0-9]{1,3}$/, { message: 'region must be 1 to 3 capital letters or digits' })
  readonly region?: string | null;
}

export class SetTaxStatusDto extends DeclareCountryDto {
  @ApiProperty({ description: 'The operator has seen a certificate of exemption.' })
  @IsBoolean()
  readonly tax_exempt!: boolean;

  @ApiProperty({ description: 'The operator has verified a tax number.' })
  @IsBoolean()
  readonly business!: boolean;

  @ApiProperty({ description: 'The operator has a valid claim of treaty benefits.' })
  @IsBoolean()
  readonly treaty_claimed!: boolean;
}

export class TaxStatusDto extends TablesUsedDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'DE', description: 'Null: never set.' })
  readonly iso_country!: string | null;
  @ApiProperty({ type: String, nullable: true, example: null })
  readonly region!: string | null;
  @ApiProperty({ type: Boolean, nullable: true })
  readonly tax_exempt!: boolean | null;
  @ApiProperty({ type: Boolean, nullable: true })
  readonly business!: boolean | null;
  @ApiProperty({ type: Boolean, nullable: true })
  readonly treaty_claimed!: boolean | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 19,
    description: 'The standard rate of the place.',
  })
  readonly vat_rate_pct!: number | null;
  @ApiProperty({ type: String, nullable: true, example: '2026-11-21T04:48:00.000Z' })
  readonly set_at!: string | null;
  @ApiProperty({ example: '42', description: 'The log position that the answer reflects.' })
  readonly position!: string;
}
