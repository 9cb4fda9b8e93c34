import { type PriceLine } from '#events/hold.vocabulary.js';

/** The prices of a rate card or a catalog file, as products read them; decimal micro-dollars. */
export interface PriceCard {
  /** The version in the log; null for a file. */
  readonly version: number | null;
  readonly sourceSha256: string;
  /** By model id. */
  readonly models: ReadonlyMap<
    string,
    { readonly inputMicroUsdPerMtok: string; readonly outputMicroUsdPerMtok: string }
  >;
  /** By meter. */
  readonly meters: ReadonlyMap<string, UnitPrice>;
  readonly batchDiscountPercent: number;
}

export type UnitPrice = Pick<PriceLine, 'unitPriceMicroUsd' | 'perUnits'>;
