/**
 * The rate that a payer in the United States withholds from a payee abroad (chapter 3 of the
 * Internal Revenue Code). A row is only here where its treaty rate is the same for every kind of
 * industrial royalty. A country that is not here pays the statutory rate.
 */
export interface WithholdingRow {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly incomeType: IncomeType;
  readonly ratePercent: number;
  /** Of the income tax treaty between the country and the United States. */
  readonly article: string;
  readonly source: string;
  /** The date of the source. */
  readonly asOf: string;
}

/**
 * `industrial_royalties`: for the use of equipment and know-how, code 10 of Form 1042-S.
 * `other_income`: any other fixed or determinable income, for which no treaty rate is kept here.
 */
export const INCOME_TYPES = ['industrial_royalties', 'other_income'] as const;
export type IncomeType = (typeof INCOME_TYPES)[number];

const TABLE_1 =
  'IRS, Tax Rates on Income Other Than Personal Service Income Under Chapter 3 and Income Tax ' +
  'Treaties (Table 1, Rev. Feb 2019), https://www.irs.gov/pub/irs-utl/Tax_Treaty_Table_1.pdf';
const AS_OF = '2019-02-28';

const royalties = (country: string, ratePercent: number, article: string): WithholdingRow => ({
  country,
  incomeType: 'industrial_royalties',
  ratePercent,
  article,
  source: TABLE_1,
  asOf: AS_OF,
});

export const TREATY_ROWS: readonly WithholdingRow[] = [
  royalties('AT', 0, 'Article 12'),
  royalties('BE', 0, 'Article 12'),
  royalties('CH', 0, 'Article 12'),
  royalties('DE', 0, 'Article 12'),
  royalties('DK', 0, 'Article 12'),
  royalties('FI', 0, 'Article 12'),
  royalties('FR', 0, 'Article 12'),
  royalties('GB', 0, 'Article 12'),
  royalties('IE', 0, 'Article 12'),
  royalties('JP', 0, 'Article 12'),
  royalties('LU', 0, 'Article 13'),
  royalties('MX', 10, 'Article 12'),
  royalties('NL', 0, 'Article 13'),
  royalties('NO', 0, 'Article 10'),
  royalties('SE', 0, 'Article 12'),
];

/** Without a treaty, or without a valid claim of its benefits. */
export const STATUTORY = {
  ratePercent: 30,
  article: 'none: 26 U.S.C. 1441 and 1442, on income of 871(a) and 881(a)',
  source: TABLE_1,
  asOf: AS_OF,
} as const;

/** A payee in the country of the payer. */
export const DOMESTIC = {
  ratePercent: 0,
  article: 'none: chapter 3 is about foreign persons',
  source: STATUTORY.source,
  asOf: STATUTORY.asOf,
} as const;

export const PAYER_COUNTRY = 'US';
