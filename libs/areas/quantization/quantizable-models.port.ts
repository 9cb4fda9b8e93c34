import { type FiledModel } from '#platform/own-models/filed-model.js';

/** The models of the catalog and of accounts. The class is the injection token. */
export abstract class QuantizableModels {
  /**
   * @throws DomainError `quantization_model_unknown`, also for the model of another account;
   *   `quantization_model_unsuitable` for one without weights here
   */
  abstract find(name: string, accountId: string): Promise<FiledModel>;
}
