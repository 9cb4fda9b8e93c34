import { type PriceLine } from '#events/hold.vocabulary.js';
import { type UnitPrice } from './price.js';

/** The prices of meters on one rate card. */
export interface MeterPriceList {
  /** Of the rate card, for holds. */
  readonly rateCardVersion: number;
  /** By meter. */
  readonly prices: ReadonlyMap<string, UnitPrice>;
}

/**
 * The prices of work that is counted in other units than the tokens of a model: `meters` of the
 * catalog file. The class is the injection token; the catalog provides it. Neither look-up waits.
 */
export abstract class MeterPrices {
  /** At an instant in milliseconds since the epoch; undefined before the first list. */
  abstract inForce(atMs: number): MeterPriceList | undefined;
}

/** Units of meters, and how a meter without a price is rejected. */
export interface UnitsToPrice {
  readonly units: readonly Pick<PriceLine, 'meter' | 'quantity'>[];
  readonly reject: (detail: string) => never;
}

/** The lines of a hold at the prices of one list, and the rate card of these prices. */
export const pricedLines = (
  list: MeterPriceList | undefined,
  { units, reject }: UnitsToPrice,
): { readonly lines: PriceLine[]; readonly rateCardVersion: number } => {
  const absent = (meter: string): never =>
    reject(`the catalog of this installation has no price for the meter ${meter}`);
  if (!list) return absent(units.map(({ meter }) => meter).join(', '));
  const { prices, rateCardVersion } = list;
  const lines = units.map((one) => ({ ...one, ...(prices.get(one.meter) ?? absent(one.meter)) }));
  return { lines, rateCardVersion };
};
