import { type Tasks } from '#platform/tasks/tasks.port.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type EmbeddingInput } from './embedding-body.js';
import { embeddingModelSha256, embeddingsEngine, type EmbeddingTask } from './embeddings.engine.js';

/** Inputs for a model file of this machine. */
export interface FileEmbeddings {
  /** Absolute path. */
  readonly modelFile: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions: number | null;
}

export interface EmbeddedTexts {
  /** 32-bit floats, little-endian, in base64; one for each input. */
  readonly vectors: readonly string[];
  readonly promptTokens: number;
}

/** Runs embedding models as tasks, here or on workers. */
export const createEmbeddingRunner = (tasks: Tasks, sha256Of = embeddingModelSha256) => ({
  /**
   * @param onProgress gets the tokens of the inputs that are done
   * @throws TaskError; RequestCutError when the signal aborts
   */
  async embed(
    request: FileEmbeddings,
    signal: AbortSignal,
    onProgress: (promptTokens: number) => void,
  ): Promise<EmbeddedTexts> {
    const { modelFile, ...asked } = request;
    const task: EmbeddingTask = tasks.seesLocalFiles
      ? request
      : { ...asked, modelSha256: await sha256Of(modelFile) };
    const vectors: string[] = [];
    let promptTokens = 0;
    const pieces = tasks.run(embeddingsEngine, task, signal);
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) {
      for (const { vector, tokens } of next.value) {
        vectors.push(vector);
        promptTokens += tokens;
      }
      onProgress(promptTokens);
    }
    if (next.value === null) throw new RequestCutError('client_gone');
    return { vectors, promptTokens };
  },
});
