import { type AdapterErrorCode } from '#areas/adapters/adapters.errors.js';
import { type BaseMatrix, type BaseModel, BaseModels } from '#areas/adapters/base-models.port.js';
import { type CatalogRig, type ModelEntry } from '#areas/catalog/catalog-entry.js';
import { type LanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** The part of a catalog that is needed. */
interface ServedModels {
  model(id: string): Pick<ModelEntry, 'rigs' | 'file'> | undefined;
  rigs(): readonly Pick<CatalogRig, 'name' | 'kind'>[];
}

/** Models with an embedded rig: their weights are known, and the engine there changes them. */
export class EmbeddedBaseModels extends BaseModels {
  #engine: Promise<LanguageModelEngine> | undefined;

  /** @param catalog absent in a process without the area */
  constructor(private readonly catalog: ServedModels | undefined) {
    super();
  }

  async find(modelId: string): Promise<BaseModel> {
    const model = this.catalog?.model(modelId);
    if (!model) return refuse('adapter_base_unknown', `the model ${modelId} is not in the catalog`);
    const rigs = this.catalog?.rigs().filter(({ name }) => model.rigs.includes(name)) ?? [];
    if (model.file === null || !rigs.some(({ kind }) => kind === 'embedded')) {
      return refuse(
        'adapter_base_unsuitable',
        `the model ${modelId} is not served by Quipu itself`,
      );
    }
    return this.#read(modelId, model.file);
  }

  async #read(modelId: string, file: string): Promise<BaseModel> {
    // Native code is loaded by neither: both only read the file.
    const { createLanguageModelEngine } =
      await import('#engines/language-model/language-model.engine.js');
    const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
    this.#engine ??= Promise.resolve(createLanguageModelEngine());
    try {
      const { architecture, sha256 } = await (await this.#engine).describe(file);
      if (architecture !== 'llama') {
        const detail = `the model ${modelId} has the architecture ${architecture}, not llama`;
        return refuse('adapter_base_unsuitable', detail);
      }
      const { metadata, tensors } = await readGgufHeader(file);
      const numberOf = (key: string, fallback = 0): number => {
        const value = metadata.get(`llama.${key}`);
        return typeof value === 'number' ? value : fallback;
      };
      const heads = numberOf('attention.head_count');
      return {
        modelId,
        sha256,
        heads,
        keyValueHeads: numberOf('attention.head_count_kv', heads),
        matrices: new Map(tensors.flatMap(matrixOf)),
      };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const detail = `the file of the model ${modelId} cannot be read`;
      return refuse('adapter_base_unsuitable', detail);
    }
  }
}

const matrixOf = ({
  name,
  dimensions: [inputs, outputs],
}: {
  readonly name: string;
  readonly dimensions: readonly number[];
}): [string, BaseMatrix][] =>
  inputs === undefined || outputs === undefined
    ? []
    : [[name.replace(/\.weight$/, ''), { inputs, outputs }]];

const refuse = (code: AdapterErrorCode, detail: string): never => {
  throw new DomainError<AdapterErrorCode>(code, detail);
};
