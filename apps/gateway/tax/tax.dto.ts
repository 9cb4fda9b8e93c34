import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, FlagField, TextField } from '../fields/request-fields.js';

const COUNTRY = /^[A-Z]{2}$/;
const COUNTRY_EXPECTED = 'two capital letters (ISO 3166-1 alpha-2), such as DE';

/** Dollars below a trillion, with at most 6 decimals. */
const AMOUNT = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;

export class TaxComplianceQueryDto {
  @TextField({
    example: 'DE',
    description: 'ISO 3166-1 alpha-2.',
    matches: COUNTRY,
    expected: COUNTRY_EXPECTED,
  })
  readonly country!: string;

  @TextField({
    type: String,
    example: '1000.00',
    description: 'The gross payout in USD, with at most 6 decimals.',
    matches: AMOUNT,
    expected: 'dollars with at most 6 decimals, such as 12.50',
  })
  readonly amount!: string;

  @ChoiceField(['true', 'false'], {
    required: false,
    default: 'false',
    description: 'Whether the payee has claimed treaty benefits, such as by Form W-8BEN.',
    expected: 'true or false',
  })
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
  @NullableField(String, undefined, '2026-07-17')
  readonly vat!: string | null;
  @NullableField(String, undefined, '2019-02-28')
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

export class DeclareCountryDto {
  @TextField({
    example: 'CA',
    description: 'ISO 3166-1 alpha-2.',
    matches: COUNTRY,
    expected: COUNTRY_EXPECTED,
  })
  readonly country!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    example: 'QC',
    description: 'ISO 3166-2 without the country, where regions have taxes of their own.',
    matches: /^[A-Z0-9]{1,3}$/,
    expected: '1 to 3 capital letters or digits',
  })
  readonly region?: string | null;
}

export class SetTaxStatusDto extends DeclareCountryDto {
  @FlagField({ description: 'The operator has seen a certificate of exemption.' })
  readonly tax_exempt!: boolean;

  @FlagField({ description: 'The operator has verified a tax number.' })
  readonly business!: boolean;

  @FlagField({ description: 'The operator has a valid claim of treaty benefits.' })
  readonly treaty_claimed!: boolean;
}

export class TaxStatusDto extends TablesUsedDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @NullableField(
    String,
    'The account above that has the status; null: it is of the account itself.',
    null,
  )
  readonly inherited_from!: string | null;
  @NullableField(String, 'Null: never set.', 'DE')
  readonly iso_country!: string | null;
  @NullableField(String, undefined, null)
  readonly region!: string | null;
  @NullableField(Boolean)
  readonly tax_exempt!: boolean | null;
  @NullableField(Boolean)
  readonly business!: boolean | null;
  @NullableField(Boolean)
  readonly treaty_claimed!: boolean | null;
  @NullableField(Number, 'The standard rate of the place.', 19)
  readonly vat_rate_pct!: number | null;
  @NullableField(String, undefined, '2026-11-21T04:48:00.000Z')
  readonly set_at!: string | null;
  @ApiProperty({
    example: '42',
    description: 'How many events of the log the answer reflects, for `asOf`.',
  })
  readonly position!: string;
}
