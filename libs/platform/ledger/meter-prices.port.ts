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
