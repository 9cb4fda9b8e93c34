import { type Catalog } from '#areas/catalog/catalog.js';
import {
  type QuantizableModel,
  QuantizableModels,
} from '#areas/quantization/quantizable-models.port.js';
import { reject } from '#areas/quantization/quantization.errors.js';
import { type OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { type OwnModels } from '#platform/own-models/own-models.js';

/** Models with a file here: of the catalog, or of the account. */
export class FiledModels extends QuantizableModels {
  /** @param catalog absent in a process without the area */
  constructor(
    private readonly catalog: Pick<Catalog, 'model' | 'rateFor'> | undefined,
    private readonly own: Pick<OwnModels, 'find'>,
    private readonly files: Pick<OwnModelFiles, 'pathOf'>,
  ) {
    super();
  }

  override async find(name: string, accountId: string): Promise<QuantizableModel> {
    const model = this.catalog?.model(name);
    if (!model) return this.#own(name, accountId);
    const rate = this.catalog?.rateFor(name, Number.POSITIVE_INFINITY);
    const { file, kind, contextTokens, maxOutputTokens, price } = model;
    if (file === null || kind !== 'chat' || !rate) {
      const detail = `the model ${name} is no chat model with weights here`;
      return reject('quantization_model_unsuitable', detail);
    }
    const { sha256Of } = await import('#engines/language-model/model-files.js');
    const { version: rateCardVersion, batchDiscountPercent } = rate;
    return {
      name: model.id,
      file,
      sha256: await sha256Of(file),
      contextTokens,
      maxOutputTokens,
      price,
      rateCardVersion,
      batchDiscountPercent,
    };
  }

  async #own(name: string, accountId: string): Promise<QuantizableModel> {
    const own = this.own.find(name, accountId);
    if (!own) return reject('quantization_model_unknown', `there is no model ${name}`);
    const { sha256, contextTokens, maxOutputTokens, price } = own;
    const { rateCardVersion, batchDiscountPercent } = own;
    const terms = { contextTokens, maxOutputTokens, price, rateCardVersion, batchDiscountPercent };
    return { name, file: await this.files.pathOf(own), sha256, ...terms };
  }
}
