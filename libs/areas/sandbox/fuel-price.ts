import { type PriceLine } from '#events/hold.vocabulary.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { reject } from './sandbox.errors.js';
import { FUEL_METER } from './wasm.product.js';

/** The price of fuel on one rate card. */
export interface FuelPrice {
  readonly rateCardVersion: number;
  lineOf(fuel: number): PriceLine;
}

/** @throws DomainError `wasm_not_priced` where the rate card lacks the meter */
export const fuelPriceOf = (list: MeterPriceList | undefined): FuelPrice => {
  const price = list?.prices.get(FUEL_METER);
  if (!list || !price) {
    const detail = `the catalog of this installation has no price for the meter ${FUEL_METER}`;
    return reject('wasm_not_priced', detail);
  }
  return {
    rateCardVersion: list.rateCardVersion,
    lineOf: (fuel) => ({ meter: FUEL_METER, quantity: fuel, ...price }),
  };
};
