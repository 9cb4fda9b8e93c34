import { type TokenPrice } from '#events/token-price.vocabulary.js';

/** A chat model of the catalog whose weights are here. */
export interface PricedModel {
  readonly name: string;
  readonly parameters: number;
  readonly maxOutputTokens: number;
  /** A text that two models share exactly when their tokens are the same. */
  readonly vocabulary: string;
  readonly price: TokenPrice;
  readonly rateCardVersion: number;
  readonly batchDiscountPercent: number;
}

/** The models that uploads are priced by. The class is the injection token. */
export abstract class PricedModels {
  abstract list(): Promise<readonly PricedModel[]>;
}
