/**
 * Embeds texts with GGUF models through llama.cpp in a process of its own, for the reasons that the
 * language models have one (`libs/engines/language-model/language-model.child.ts`): a failed
 * assertion in llama.cpp takes only this process along. It is started in the same way.
 */
import type { LlamaEmbeddingContext, LlamaModel, Token } from 'node-llama-cpp';
import { disposeLlama, loadModel, whyFailed } from '#engines/language-model/child/llama-runtime.js';
import { reasonOf } from '#engines/language-model/child/reported.error.js';
import { SMALL_MODEL_BYTES } from '#engines/language-model/child/small-models.js';
import type {
  FromGgufChild,
  GgufChildSettings,
  GgufFailureCode,
  GgufRequest,
  ToGgufChild,
} from '#engines/embeddings/gguf/gguf-embedding.protocol.js';

interface LoadedModel {
  readonly model: LlamaModel;
  readonly context: LlamaEmbeddingContext;
  readonly contextTokens: number;
}

class ReportedError extends Error {
  readonly code: GgufFailureCode;
  readonly at: number | null;

  constructor(code: GgufFailureCode, reason: string, at: number | null) {
    super(reason);
    this.code = code;
    this.at = at;
  }
}

const settings = JSON.parse(process.argv[2] ?? '{}') as GgufChildSettings;
/** In order of last use, the oldest first. */
const loaded = new Map<string, LoadedModel>();

const invalidFile = (reason: string): ReportedError =>
  new ReportedError('model_file_invalid', reason, null);

const load = async (modelFile: string): Promise<LoadedModel> => {
  const model = await loadModel(modelFile, invalidFile);
  const contextTokens = Math.min(settings.contextTokensMax, model.trainContextSize);
  try {
    const context = await model.createEmbeddingContext({
      contextSize: contextTokens,
      // A text is one batch: an encoder sees all of it at once, and pooling is over a batch.
      batchSize: contextTokens,
      ...(model.size < SMALL_MODEL_BYTES && { threads: 1 }),
    });
    return { model, context, contextTokens };
  } catch (error) {
    throw invalidFile(await whyFailed(error));
  }
};

const modelOf = async ({ modelFile, fileVersion }: GgufRequest): Promise<LoadedModel> => {
  const key = `${modelFile}\n${fileVersion}`;
  const known = loaded.get(key);
  if (known === undefined) {
    for (const [other, { model }] of [...loaded]) {
      if (loaded.size < settings.loadedModelsMax) break;
      loaded.delete(other);
      await model.dispose();
    }
  }
  const model = known ?? (await load(modelFile));
  loaded.delete(key);
  loaded.set(key, model);
  return model;
};

const tokensOf = (
  { model }: LoadedModel,
  input: string | readonly number[],
  at: number,
): Token[] => {
  if (typeof input === 'string') return model.tokenize(input);
  const size = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
  const unknown = input.find((token) => token >= size);
  if (unknown === undefined) return [...input] as Token[];
  const reason = `${unknown} is no token of this model, whose ids are below ${size}`;
  throw new ReportedError('tokens_invalid', reason, at);
};

const embedOne = async (
  one: LoadedModel,
  input: string | readonly number[],
  at: number,
): Promise<{ readonly vector: Float64Array; readonly tokens: number }> => {
  const asked = tokensOf(one, input, at);
  // The model may add a token at each end.
  const tokens = one.context.calculateInputLength(asked);
  if (tokens >= one.contextTokens) {
    const reason = `it has ${tokens} tokens, and the model takes ${one.contextTokens - 1}`;
    throw new ReportedError('input_too_long', reason, at);
  }
  const { vector } = await one.context.getEmbeddingFor(asked);
  return { vector: Float64Array.from(vector), tokens };
};

const embed = async (request: GgufRequest): Promise<FromGgufChild> => {
  const { id } = request;
  try {
    const model = await modelOf(request);
    const vectors: Float64Array[] = [];
    const tokens: number[] = [];
    for (const [at, input] of request.inputs.entries()) {
      const one = await embedOne(model, input, at);
      vectors.push(one.vector);
      tokens.push(one.tokens);
    }
    return { type: 'embedded', id, vectors, tokens };
  } catch (error) {
    if (!(error instanceof ReportedError)) {
      return { type: 'failed', id, code: 'model_failed', reason: reasonOf(error), at: null };
    }
    return { type: 'failed', id, code: error.code, reason: error.message, at: error.at };
  }
};

const close = async (): Promise<void> => {
  await disposeLlama();
  process.disconnect();
};

// One request at a time: a context has one sequence.
let last: Promise<void> = Promise.resolve();
process.on('message', (message: ToGgufChild) => {
  last = last.then(async () => {
    if (message.type === 'close') await close();
    else process.send?.(await embed(message.request));
  });
});

// A terminal sends its signals to the whole group; the parent drains and then says `close`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
