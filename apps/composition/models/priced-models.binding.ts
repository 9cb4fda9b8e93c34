import { type ModelEntry } from '#areas/catalog/catalog-entry.js';
import { type PricedModel, PricedModels } from '#areas/models/priced-models.port.js';
import { type TokenRate } from '#platform/chats/token-tariff.js';

/** The part of a catalog that is needed. */
export interface Offered {
  models(): readonly Pick<ModelEntry, 'id' | 'kind' | 'file' | 'maxOutputTokens'>[];
  rateFor(id: string): TokenRate | undefined;
}

interface FileFacts {
  readonly version: string;
  readonly parameters: number;
  readonly vocabulary: string;
}

/** The chat models of a catalog with a file here. A file is described once for each version. */
export class OfferedModels extends PricedModels {
  readonly #facts = new Map<string, FileFacts>();

  constructor(private readonly offered: Offered) {
    super();
  }

  override async list(): Promise<readonly PricedModel[]> {
    const listed = this.offered.models().map(async (model) => {
      const { id: name, kind, file, maxOutputTokens } = model;
      const rate = this.offered.rateFor(name);
      if (file === null || kind !== 'chat' || !rate) return [];
      const facts = await this.#factsOf(file).catch(() => null);
      // A file that is absent or damaged answers no chats either.
      if (!facts) return [];
      const { parameters, vocabulary } = facts;
      const { version: rateCardVersion, batchDiscountPercent, ...price } = rate;
      const terms = { price, rateCardVersion, batchDiscountPercent, maxOutputTokens };
      return [{ name, parameters, vocabulary, ...terms }];
    });
    return (await Promise.all(listed)).flat();
  }

  async #factsOf(file: string): Promise<FileFacts> {
    const { fileVersionOf, headerOf } = await import('#engines/language-model/model-files.js');
    const { parametersIn } = await import('#engines/language-model/parameters.js');
    const { vocabularyOf } = await import('#engines/llama-layers/text/vocabulary.js');
    const version = await fileVersionOf(file);
    const known = this.#facts.get(file);
    if (known?.version === version) return known;
    const { metadata, tensors } = await headerOf(file);
    const facts = {
      version,
      parameters: parametersIn(tensors),
      vocabulary: vocabularyOf(metadata),
    };
    this.#facts.set(file, facts);
    return facts;
  }
}
