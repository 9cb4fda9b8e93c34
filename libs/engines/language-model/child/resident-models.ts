import { type LlamaModel, resolveChatWrapper } from 'node-llama-cpp';
import type {
  ChildSettings,
  GenerationTask,
} from '#engines/language-model/language-model.protocol.js';
import { loadModel } from '#engines/language-model/child/llama-runtime.js';
import { ModelAdapters } from '#engines/language-model/child/model-adapters.js';
import { type ChatWrapper } from '#engines/language-model/child/prompt.js';
import { SequencePool } from '#engines/language-model/child/sequence-pool.js';

export interface LoadedModel {
  readonly model: LlamaModel;
  readonly wrapper: ChatWrapper;
  readonly pool: SequencePool;
}

interface Resident {
  readonly loading: Promise<LoadedModel>;
  users: number;
}

/** The models in memory. */
export class ResidentModels {
  private readonly settings: ChildSettings;
  /** In order of last use, the oldest first. */
  private readonly residents = new Map<string, Resident>();

  constructor(settings: ChildSettings) {
    this.settings = settings;
  }

  /** @throws ReportedError model_file_invalid, or the error of `use` */
  async withModel(
    { modelFile, fileVersion }: GenerationTask,
    use: (loaded: LoadedModel) => Promise<void>,
  ): Promise<void> {
    const key = `${modelFile}\n${fileVersion}`;
    const resident = this.residents.get(key) ?? { loading: this.load(modelFile), users: 0 };
    this.residents.delete(key);
    this.residents.set(key, resident);
    resident.users += 1;
    try {
      await use(await resident.loading);
    } catch (error) {
      // A failed load is not remembered: the file may be repaired.
      await resident.loading.catch(() => this.residents.delete(key));
      throw error;
    } finally {
      resident.users -= 1;
      await this.makeRoom();
    }
  }

  private async load(modelFile: string): Promise<LoadedModel> {
    const model = await loadModel(modelFile);
    const adapters = new ModelAdapters(model, this.settings.adaptersMax);
    const pool = new SequencePool(model, adapters, this.settings);
    return { model, wrapper: resolveChatWrapper(model), pool };
  }

  /** Drops idle models, the longest unused first, until the limit holds; busy ones stay. */
  private async makeRoom(): Promise<void> {
    for (const [key, resident] of [...this.residents]) {
      if (this.residents.size <= this.settings.loadedModelsMax) return;
      if (resident.users > 0) continue;
      this.residents.delete(key);
      const loaded = await resident.loading.catch(() => undefined);
      await loaded?.model.dispose();
    }
  }
}
