import { type EmbeddingsEngine } from '#engines/embeddings/embeddings.engine.js';
import { EMBEDDING_FAILURES } from '#engines/embeddings/embeddings.errors.js';
import {
  EmbeddingEnd,
  EmbeddingPiece,
  EmbeddingTask,
} from '#engines/embeddings/embeddings.protocol.js';
import { defineEngine, type EngineHost } from '#platform/tasks/engine.js';

export type { EmbeddingTask } from '#engines/embeddings/embeddings.protocol.js';

/** A file of this machine, by the SHA-256 of its contents. */
export interface EmbeddingModelFiles {
  readonly count: number;
  /** @throws EmbeddingEngineError `model_file_missing` */
  fileOf(sha256: string): Promise<string>;
}

/** Lower-case hex of the whole file. Loads no model. */
export const embeddingModelSha256 = async (modelFile: string): Promise<string> => {
  const { sha256Of } = await import('#engines/embeddings/model-files.js');
  return sha256Of(modelFile);
};

const filesOf = async ({ modelFolders, place }: EngineHost): Promise<EmbeddingModelFiles> => {
  const { ModelFiles } = await import('#engines/embeddings/model-files.js');
  const files = new ModelFiles(modelFolders);
  // A process that runs its own models names their files.
  if (place === 'worker') await files.scan();
  return files;
};

/** Embedding models: lexical ones on a thread, GGUF files by llama.cpp in a process of its own. */
export const embeddingsEngine = defineEngine({
  name: 'embeddings',
  input: EmbeddingTask,
  piece: EmbeddingPiece,
  end: EmbeddingEnd,
  tasksMax: { worker: 16, inProcess: 64 },
  failures: EMBEDDING_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async (host) => {
    const { EmbeddingsEngine } = await import('#engines/embeddings/embeddings.engine.js');
    const engine: EmbeddingsEngine = new EmbeddingsEngine();
    const files = await filesOf(host);
    return {
      async *run({ inputs, dimensions, ...model }, signal) {
        const modelFile =
          'modelFile' in model ? model.modelFile : await files.fileOf(model.modelSha256);
        return yield* engine.run({ modelFile, inputs, dimensions }, signal);
      },
      status: () => {
        const ready = files.count > 0 || host.place === 'in-process';
        const reasons = ready ? [] : ['there is no embedding model'];
        return { ready, reasons, facts: { models: files.count } };
      },
      counts: () => [
        {
          name: 'quipu_embedded_inputs_total',
          help: 'Texts and token arrays that were embedded.',
          total: engine.embedded,
        },
      ],
      close: () => engine.close(),
    };
  },
});
