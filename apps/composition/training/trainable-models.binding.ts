import { createHash } from 'node:crypto';
import { type ResidentModel, ResidentModels } from '#areas/training/resident-models.port.js';
import { reject } from '#areas/training/training.decider.js';
import { type FiledModels } from '../filed-models.js';

/** Keys of a GGUF header that make the tokens of a text. */
const VOCABULARY = [
  'tokenizer.ggml.model',
  'tokenizer.ggml.pre',
  'tokenizer.ggml.tokens',
  'tokenizer.ggml.merges',
  'tokenizer.ggml.token_type',
] as const;

/** Models with a file here that can be trained. */
export class TrainableModels extends ResidentModels {
  constructor(private readonly models: Pick<FiledModels, 'find'>) {
    super();
  }

  /** Loads no weights. */
  override async find(name: string, accountId: string): Promise<ResidentModel> {
    const { trainableShape } = await import('#engines/training/files/llama-file.js');
    const { parametersOf } = await import('#engines/training/model/llama-shape.js');
    const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
    const model = await this.models.find(name, accountId);
    try {
      const shape = await trainableShape(model.file);
      const { metadata } = await readGgufHeader(model.file);
      const hash = createHash('sha256');
      for (const key of VOCABULARY) hash.update(JSON.stringify(metadata.get(key) ?? null));
      return {
        ...model,
        parameters: parametersOf(shape),
        contextTokens: Math.min(model.contextTokens, shape.contextLength),
        vocabulary: hash.digest('hex'),
      };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return reject('training_model_unsuitable', `the model ${name}: ${detail}`);
    }
  }
}
