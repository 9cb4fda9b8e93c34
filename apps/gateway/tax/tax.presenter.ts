import { type TaxCompliance } from '#areas/tax/tax-compliance.handler.js';
import { type TaxStatusFound } from '#areas/tax/tax-status.handlers.js';
import { toUsd } from '#platform/kernel/money.js';
import { type TaxComplianceDto, type TaxStatusDto } from './tax.dto.js';

const PPM_PER_PERCENT = 10_000;

export const percentOf = (ratePpm: number): number => ratePpm / PPM_PER_PERCENT;

const DOMESTIC = 'US domestic payout: no withholding under chapter 3, Form W-9 on file assumed';

const regimeOf = ({ country, withheld, treatyClaimed, vat }: TaxCompliance): string => {
  const { article, ratePercent } = withheld;
  const claim = treatyClaimed ? 'treaty benefits claimed' : 'no treaty benefits claimed';
  const withholding =
    country === 'US'
      ? DOMESTIC
      : `US chapter 3 withholding at ${ratePercent} % (${article}), ${claim}`;
  const sales =
    vat.ratePpm > 0
      ? `${vat.kind.toUpperCase()} of ${country} at ${percentOf(vat.ratePpm)} % is accounted for ` +
        'by the payee and is not part of the payout'
      : `no VAT or GST in ${country}`;
  return (
    `${withholding}; ${sales}. Assumed: payer in the US, US-source payout for the use of ` +
    'equipment (industrial royalties), business payee, no permanent establishment.'
  );
};

export const presentCompliance = (result: TaxCompliance): TaxComplianceDto => ({
  country: result.country,
  gross_amount: toUsd(result.grossMicroUsd),
  withholding_rate_pct: result.withheld.ratePercent,
  withheld_amount: toUsd(result.withheld.withheldMicroUsd),
  vat_applicable: result.vat.ratePpm > 0,
  vat_rate_pct: percentOf(result.vat.ratePpm),
  net_payout: toUsd(result.netMicroUsd),
  compliance_regime: regimeOf(result),
  basis: {
    income_type: result.incomeType,
    article: result.withheld.article,
    source: result.withheld.source,
    as_of: result.withheld.asOf,
    vat_source: result.vat.source,
    vat_verified: result.vat.isVerified,
  },
  tables_as_of: { vat: result.vat.asOf, withholding: result.withheld.asOf },
  stale_tables: result.stale,
});

/** Of a place; all null where it is not known. */
export const presentVat = ({
  rate,
  stale,
}: Pick<TaxStatusFound, 'rate' | 'stale'>): Pick<
  TaxStatusDto,
  'vat_rate_pct' | 'tables_as_of' | 'stale_tables'
> => ({
  vat_rate_pct: rate && percentOf(rate.ratePpm),
  tables_as_of: { vat: rate && rate.asOf, withholding: null },
  stale_tables: stale,
});

export const presentTaxStatus = (
  accountId: string,
  { status, rate, stale, position }: TaxStatusFound,
): TaxStatusDto => ({
  success: true,
  account_id: accountId,
  inherited_from: status && status.accountId !== accountId ? status.accountId : null,
  iso_country: status?.country ?? null,
  region: status?.region ?? null,
  tax_exempt: status?.taxExempt ?? null,
  business: status?.business ?? null,
  treaty_claimed: status?.treatyClaimed ?? null,
  ...presentVat({ rate, stale }),
  set_at: status?.setAt ?? null,
  position: position.toString(),
});
