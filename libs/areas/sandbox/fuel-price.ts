import {
  type MeterPrice,
  meterPrice,
  type MeterPriceList,
} from '#platform/ledger/meter-prices.port.js';
import { reject } from './sandbox.errors.js';
import { FUEL_METER } from './wasm.product.js';

/** @throws DomainError `wasm_not_priced` where the rate card lacks the meter */
export const fuelPriceOf = (list: MeterPriceList | undefined): MeterPrice =>
  meterPrice(list, FUEL_METER, (detail) => reject('wasm_not_priced', detail));
