import { type TokenPrice } from '#events/token-price.vocabulary.js';

/** A model whose weights are a file of this installation, with the terms of its answers. */
export interface FiledModel {
  readonly name: string;
  /** Absolute path of the GGUF file. */
  readonly file: string;
  readonly sha256: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly price: TokenPrice;
  readonly rateCardVersion: number;
  readonly batchDiscountPercent: number;
}
