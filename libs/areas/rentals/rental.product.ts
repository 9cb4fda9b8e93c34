import { RentalCaptureEvidence, RentalHoldEvidence } from '#events/rentals/rental.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** The unit price is for an hour. */
export const SECONDS_PER_PRICE = 3_600;

/** The seconds of a rental, at the hourly price of its rig. */
export const rentalProduct = defineProduct({
  purpose: 'rental',
  group: 'compute',
  title: 'Rentals',
  meters: { seconds: 'seconds in which the rental ran' },
  holdEvidence: RentalHoldEvidence,
  captureEvidence: RentalCaptureEvidence,
  unitPrice: ({ rigs }, { charge: { evidence } }) => {
    const unitPriceMicroUsd = rigs.get(RentalCaptureEvidence.parse(evidence).rig);
    return unitPriceMicroUsd === undefined
      ? null
      : { unitPriceMicroUsd, perUnits: SECONDS_PER_PRICE };
  },
});
