import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type ResidentModel, ResidentModels } from '#areas/training/resident-models.port.js';
import { reject } from '#areas/training/training.decider.js';
import { type OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { type OwnModels } from '#platform/own-models/own-models.js';

type Terms = Omit<
  ResidentModel,
  'name' | 'file' | 'sha256' | 'parameters' | 'bytes' | 'vocabulary'
>;

/** Keys of a GGUF header that make the tokens of a text. */
const VOCABULARY = [
  'tokenizer.ggml.model',
  'tokenizer.ggml.pre',
  'tokenizer.ggml.tokens',
  'tokenizer.ggml.merges',
  'tokenizer.ggml.token_type',
] as const;

/** Models with a file here: of the catalog, or of the account. */
export class CatalogAndOwnModels extends ResidentModels {
  /** @param catalog absent in a process without the area */
  constructor(
    private readonly catalog: Pick<Catalog, 'model' | 'rateFor'> | undefined,
    private readonly own: Pick<OwnModels, 'find'>,
    private readonly files: Pick<OwnModelFiles, 'pathOf'>,
  ) {
    super();
  }

  override async find(name: string, accountId: string): Promise<ResidentModel> {
    const model = this.catalog?.model(name);
    if (model) {
      const rate = this.catalog?.rateFor(name, Number.POSITIVE_INFINITY);
      if (model.file === null || model.kind !== 'chat' || !rate) {
        const detail = `the model ${name} has no weights here: it cannot be trained`;
        return reject('training_model_unsuitable', detail);
      }
      const { contextTokens, maxOutputTokens, price } = model;
      const { version: rateCardVersion, batchDiscountPercent } = rate;
      const terms = {
        contextTokens,
        maxOutputTokens,
        price,
        rateCardVersion,
        batchDiscountPercent,
      };
      return this.#read(name, model.file, terms);
    }
    const own = this.own.find(name, accountId);
    if (!own) return reject('training_model_unknown', `there is no model ${name}`);
    return this.#read(name, await this.files.pathOf(own), own);
  }

  /** Loads no weights. */
  async #read(name: string, file: string, terms: Terms): Promise<ResidentModel> {
    const { trainableShape } = await import('#engines/training/files/llama-file.js');
    const { parametersOf } = await import('#engines/training/model/llama-shape.js');
    const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
    const { sha256Of } = await import('#engines/language-model/model-files.js');
    try {
      const shape = await trainableShape(file);
      const { metadata } = await readGgufHeader(file);
      const hash = createHash('sha256');
      for (const key of VOCABULARY) hash.update(JSON.stringify(metadata.get(key) ?? null));
      const { contextTokens, maxOutputTokens, price } = terms;
      const { rateCardVersion, batchDiscountPercent } = terms;
      return {
        name,
        file,
        sha256: await sha256Of(file),
        parameters: parametersOf(shape),
        bytes: (await stat(file)).size,
        contextTokens: Math.min(contextTokens, shape.contextLength),
        maxOutputTokens,
        price,
        rateCardVersion,
        batchDiscountPercent,
        vocabulary: hash.digest('hex'),
      };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return reject('training_model_unsuitable', `the model ${name}: ${detail}`);
    }
  }
}
