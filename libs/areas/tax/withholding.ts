import { DomainError } from '#platform/kernel/domain-error.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type TaxErrorCode } from './tax.errors.js';
import { type VatRates } from './vat-rates.js';
import {
  DOMESTIC,
  type IncomeType,
  PAYER_COUNTRY,
  STATUTORY,
  TREATY_ROWS,
  type WithholdingRow,
} from './withholding-rates.js';

export interface Payment {
  /** Of the payee: ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly incomeType: IncomeType;
  readonly amountMicroUsd: MicroUsd;
  /** The payer has a valid claim of treaty benefits. */
  readonly treatyClaimed: boolean;
}

export interface Withheld {
  readonly ratePercent: number;
  /** Rounded down to a whole micro-dollar: never more than the rate. */
  readonly withheldMicroUsd: MicroUsd;
  readonly article: string;
  readonly source: string;
  /** The date of the source. */
  readonly asOf: string;
}

type Rule = Pick<WithholdingRow, 'ratePercent' | 'article' | 'source' | 'asOf'>;

const PERCENT = 100n;

/**
 * The amount withheld from a payment of a payer in the United States.
 * @throws DomainError `country_unknown`
 */
export const withholdingOn = (
  { country, incomeType, amountMicroUsd, treatyClaimed }: Payment,
  rates: Pick<VatRates, 'has'>,
): Withheld => {
  demandCountry(country, rates);
  const { ratePercent, article, source, asOf } = ruleFor(country, incomeType, treatyClaimed);
  const withheldMicroUsd = (amountMicroUsd * BigInt(ratePercent)) / PERCENT;
  return { ratePercent, withheldMicroUsd, article, source, asOf };
};

const ruleFor = (country: string, incomeType: IncomeType, treatyClaimed: boolean): Rule => {
  if (country === PAYER_COUNTRY) return DOMESTIC;
  const treaty = TREATY_ROWS.find(
    (row) => row.country === country && row.incomeType === incomeType,
  );
  return treatyClaimed && treaty ? treaty : STATUTORY;
};

/** @throws DomainError `country_unknown` */
export const demandCountry = (country: string, rates: Pick<VatRates, 'has'>): void => {
  if (rates.has(country)) return;
  const message = `the tables have no country ${country}: they cannot say what its taxes are`;
  throw new DomainError<TaxErrorCode>('country_unknown', message);
};
