/** A standard rate that the table of `sales-tax` lacks or has under another date. */
export interface VatCorrection {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** ISO 8601 UTC: the beginning of the day there. */
  readonly from: string;
  /** Likewise: the rate is known until then only. */
  readonly until?: string;
  /** In millionths: 81,000 is 8.1 %. */
  readonly ratePpm: number;
  /** The law, and where it was read. */
  readonly source: string;
  /** The date of the source. */
  readonly asOf: string;
}

/** The newest of a country comes last. */
export const VAT_CORRECTIONS: readonly VatCorrection[] = [
  {
    country: 'BH',
    from: '2021-12-31T21:00:00.000Z',
    ratePpm: 100_000,
    source:
      'Law 33 of 2021, https://sovereigngroup.com/news/news-and-views/' +
      'bahrain-issues-transitional-provisions-guide-to-vat-rate-change',
    asOf: '2021-12-24',
  },
  {
    country: 'EC',
    from: '2024-04-01T05:00:00.000Z',
    ratePpm: 150_000,
    source:
      'Executive Decrees 198 and 470, https://www.expreso.ec/actualidad/economia/' +
      'sri-ante-la-ausencia-de-un-nuevo-decreto-seguira-rigiendo-el-15-de-iva-269423.html',
    asOf: '2025-12-30',
  },
  {
    country: 'KZ',
    from: '2025-12-31T19:00:00.000Z',
    ratePpm: 160_000,
    source: 'Law 214-VIII of 18 July 2025, https://regfollower.com/?p=70923',
    asOf: '2025-07-18',
  },
  {
    country: 'LI',
    from: '2023-12-31T23:00:00.000Z',
    ratePpm: 81_000,
    source:
      'LR 641.20, https://news.bloombergtax.com/daily-tax-report-international/' +
      'liechtenstein-gazettes-law-amending-vat-act',
    asOf: '2023-06-09',
  },
  {
    country: 'LK',
    from: '2023-12-31T18:30:00.000Z',
    ratePpm: 180_000,
    source:
      'VAT (Amendment) Act 16 of 2024, https://www.vatupdate.com/2024/03/29/' +
      'vat-rate-change-per-1-january-2024-has-been-formalized/',
    asOf: '2024-03-29',
  },
  {
    country: 'PK',
    from: '2023-02-14T19:00:00.000Z',
    ratePpm: 180_000,
    source:
      'SRO 179(I)/2023, https://vulearning.com.pk/fbr-new-increased-sale-tax-rate-in-pakistan/',
    asOf: '2023-02-14',
  },
  {
    country: 'RO',
    from: '2025-07-31T21:00:00.000Z',
    ratePpm: 210_000,
    source:
      'Law 141/2025, https://regfollower.com/' +
      'romania-increases-standard-and-reduced-vat-rates-effective-starting-tomorrow',
    asOf: '2025-07-31',
  },
  {
    country: 'RU',
    from: '2025-12-31T21:00:00.000Z',
    ratePpm: 220_000,
    source:
      'Federal Tax Service, https://www.vatupdate.com/2026/01/13/' +
      'russian-tax-service-issues-guidelines-for-transition-to-22-vat-rate-from-january-2026',
    asOf: '2026-01-13',
  },
  {
    country: 'TH',
    from: '2023-08-31T17:00:00.000Z',
    // The statutory 10 % apply unless the reduction is extended each year.
    until: '2026-09-30T17:00:00.000Z',
    ratePpm: 70_000,
    source:
      'Royal decrees to 30 September 2026, https://www.nishimura.com/en/knowledge/' +
      'publications/20251022-116401',
    asOf: '2025-10-22',
  },
];
