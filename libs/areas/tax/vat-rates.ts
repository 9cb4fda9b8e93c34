import { createRequire } from 'node:module';
import { z } from 'zod';
import { type VatCorrection, VAT_CORRECTIONS } from './vat-corrections.js';

const Tax = z.object({ type: z.string(), rate: z.number().min(-1).max(1) });
const Dated = Tax.extend({ before: z.record(z.iso.datetime(), Tax).optional() });
const Table = z.record(
  z.string().regex(/^[A-Z]{2}$/),
  Dated.extend({ states: z.record(z.string(), Dated).optional() }),
);
type Dated = z.infer<typeof Dated>;

/** The standard rate of a country, or of a region in it. */
export interface VatRate {
  /** `vat`, `gst`, `gst+qst`, …; `none` where there is no tax on sales of the whole country. */
  readonly kind: string;
  /** In millionths: 200,000 is 20 %. */
  readonly ratePpm: number;
  /** The table or the law that it is from, with its date. */
  readonly source: string;
  /** The date of the source: YYYY-MM-DD. */
  readonly asOf: string;
  /** Whether it agrees with a second source: the Commission's database, or a cited law. */
  readonly isVerified: boolean;
}

type TableRate = Pick<VatRate, 'kind' | 'ratePpm'>;

const PPM = 1_000_000;
/** The package states its version and no date. This one was published on that day. */
export const SALES_TAX = { version: '2.23.0', asOf: '2026-07-17' } as const;

const require = createRequire(import.meta.url);

/**
 * The standard rates of the table that the package `sales-tax` ships, each with the dates of its
 * changes, and corrections of it. Only the table is read: the rest of the package asks the clock
 * itself.
 */
export class VatRates {
  readonly #table = Table.parse(require('sales-tax/res/sales_tax_rates.json'));
  readonly #union = new Set(
    z.object({ EU: z.array(z.string()) }).parse(require('sales-tax/res/region_countries.json')).EU,
  );
  has(country: string): boolean {
    return Object.hasOwn(this.#table, country);
  }

  isInUnion(country: string): boolean {
    return this.#union.has(country);
  }

  /** The regions with a rate of their own. */
  regionsOf(country: string): readonly string[] {
    return Object.keys(this.#table[country]?.states ?? {});
  }

  /**
   * The standard rate at an instant; undefined for a country or region that the table lacks.
   * @param at ISO 8601 UTC
   */
  standardRate(country: string, region: string | null, at: string): VatRate | undefined {
    const rate = this.#rateOfTable(country, region, at);
    if (!rate) return undefined;
    const correction = region === null ? correctionOf(country, at) : undefined;
    if (correction) {
      const { ratePpm, source, asOf } = correction;
      return { kind: rate.kind, ratePpm, source: `${source} (${asOf})`, asOf, isVerified: true };
    }
    const { version, asOf } = SALES_TAX;
    const isVerified = region === null && this.isInUnion(country);
    return { ...rate, source: `sales-tax ${version} (${asOf})`, asOf, isVerified };
  }

  #rateOfTable(country: string, region: string | null, at: string): TableRate | undefined {
    const found = this.has(country) ? this.#table[country] : undefined;
    if (!found) return undefined;
    const national = inForce(found, at);
    if (region === null) return { kind: national.type, ratePpm: ppmOf(national.rate) };
    const own = found.states?.[region];
    if (!own || !this.regionsOf(country).includes(region)) return undefined;
    const regional = inForce(own, at);
    return {
      kind: kindOf(national, regional),
      ratePpm: ppmOf(national.rate) + ppmOf(regional.rate),
    };
  }
}

/** The newest that is in force. */
const correctionOf = (country: string, at: string): VatCorrection | undefined => {
  const time = Date.parse(at);
  return VAT_CORRECTIONS.findLast(
    ({ country: place, from, until }) =>
      place === country &&
      Date.parse(from) <= time &&
      (until === undefined || time < Date.parse(until)),
  );
};

/** The rate whose end is the next one, or the newest. */
const inForce = ({ before = {}, ...newest }: Dated, at: string): z.infer<typeof Tax> => {
  const time = Date.parse(at);
  const ends = Object.keys(before).filter((end) => time < Date.parse(end));
  const next = ends.sort((one, other) => Date.parse(one) - Date.parse(other))[0];
  return (next === undefined ? undefined : before[next]) ?? newest;
};

/** A regional rate adds to the national one, or takes off it. */
const kindOf = (national: z.infer<typeof Tax>, regional: z.infer<typeof Tax>): string => {
  if (national.rate === 0 || regional.rate < 0) return regional.type;
  return national.type === regional.type ? national.type : `${national.type}+${regional.type}`;
};

/** The table has at most six decimals. */
const ppmOf = (rate: number): number => Math.round(rate * PPM);
