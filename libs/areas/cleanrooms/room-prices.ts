import { type PriceLine } from '#events/hold.vocabulary.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { reject } from './cleanrooms.errors.js';

/** The prices of the meters of a product on one rate card. */
export interface RoomPrices {
  readonly rateCardVersion: number;
  readonly lineOf: (meter: string, quantity: number) => PriceLine;
}

/** @throws DomainError `cleanroom_not_priced` where the rate card lacks a meter */
export const roomPricesOf = (
  list: MeterPriceList | undefined,
  meters: readonly string[],
): RoomPrices => {
  const missing = meters.find((meter) => !list?.prices.has(meter));
  if (!list || missing !== undefined) {
    const detail = `the catalog of this installation has no price for the meter ${missing}`;
    return reject('cleanroom_not_priced', detail);
  }
  return {
    rateCardVersion: list.rateCardVersion,
    lineOf: (meter, quantity) => {
      const price = list.prices.get(meter);
      if (!price) throw new Error(`the meter ${meter} was not asked for`);
      return { meter, quantity, ...price };
    },
  };
};
