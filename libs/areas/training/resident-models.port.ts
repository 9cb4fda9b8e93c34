import { type TokenPrice } from '#events/token-price.vocabulary.js';

/** A model whose weights are files of this installation, and which can be trained. */
export interface ResidentModel {
  readonly name: string;
  /** Absolute path of the GGUF file. */
  readonly file: string;
  readonly sha256: string;
  readonly parameters: number;
  readonly bytes: number;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly price: TokenPrice;
  readonly rateCardVersion: number;
  readonly batchDiscountPercent: number;
  /** A text that two models share exactly when their tokens are the same. */
  readonly vocabulary: string;
}

/** The models of the catalog and of accounts. The class is the injection token. */
export abstract class ResidentModels {
  /**
   * @throws DomainError `training_model_unknown`, also for the model of another account;
   *   `training_model_unsuitable`, which says why it cannot be trained
   */
  abstract find(name: string, accountId: string): Promise<ResidentModel>;
}
