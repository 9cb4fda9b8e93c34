import {
  type MeterPrice,
  meterPrice,
  type MeterPriceList,
} from '#platform/ledger/meter-prices.port.js';
import { reject } from './cleanrooms.errors.js';

/** @throws DomainError `cleanroom_not_priced` where the rate card lacks the meter */
export const roomPriceOf = (list: MeterPriceList | undefined, meter: string): MeterPrice =>
  meterPrice(list, meter, (detail) => reject('cleanroom_not_priced', detail));
