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

/** The price of one meter on a rate card. */
export interface MeterPrice {
  readonly rateCardVersion: number;
  readonly lineOf: (quantity: number) => PriceLine;
}

/** @param reject throws the error of the area for a meter that the list lacks */
export const meterPrice = (
  list: MeterPriceList | undefined,
  meter: string,
  reject: (detail: string) => never,
): MeterPrice => {
  const price = list?.prices.get(meter);
  if (!list || !price) {
    return reject(`the catalog of this installation has no price for the meter ${meter}`);
  }
  return {
    rateCardVersion: list.rateCardVersion,
    lineOf: (quantity) => ({ meter, quantity, ...price }),
  };
};

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
  const lines = units.map(({ meter, quantity }) =>
    meterPrice(list, meter, reject).lineOf(quantity),
  );
  return {
    lines,
    rateCardVersion: list?.rateCardVersion ?? reject('the catalog has no rate card'),
  };
};
