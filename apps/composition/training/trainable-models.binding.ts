import { type ResidentModel, ResidentModels } from '#areas/training/resident-models.port.js';
import { reject } from '#areas/training/training.decider.js';
import { type FiledModels } from '../filed-models.js';

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
    const { vocabularyOf } = await import('#engines/llama-layers/text/vocabulary.js');
    const model = await this.models.find(name, accountId);
    try {
      const shape = await trainableShape(model.file);
      const { metadata } = await readGgufHeader(model.file);
      return {
        ...model,
        parameters: parametersOf(shape),
        contextTokens: Math.min(model.contextTokens, shape.contextLength),
        vocabulary: vocabularyOf(metadata),
      };
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return reject('training_model_unsuitable', `the model ${name}: ${detail}`);
    }
  }
}
