import { type FiledModel } from '#platform/own-models/filed-model.js';

/** A model that can be trained. */
export interface ResidentModel extends FiledModel {
  readonly parameters: number;
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
