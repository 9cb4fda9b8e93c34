import { type TokenPrice } from '#events/token-price.vocabulary.js';

/** A model whose weights are a file of this installation, with the terms of its answers. */
export interface QuantizableModel {
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

/** The models of the catalog and of accounts. The class is the injection token. */
export abstract class QuantizableModels {
  /**
   * @throws DomainError `quantization_model_unknown`, also for the model of another account;
   *   `quantization_model_unsuitable` for one without weights here
   */
  abstract find(name: string, accountId: string): Promise<QuantizableModel>;
}
