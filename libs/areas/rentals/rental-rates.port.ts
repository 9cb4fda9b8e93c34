/** The price of an hour of a rig now. */
export interface RentalRate {
  readonly rateCardVersion: number;
  /** Decimal micro-dollars. */
  readonly microUsdPerHour: string;
}

/** The hourly prices of the rate card in force. `apps/composition` binds it to the catalog. */
export abstract class RentalRates {
  /** Null for a rig that is not for rent. */
  abstract rateOf(rig: string): Promise<RentalRate | null>;
}
