/** The thread that embeds texts with lexical models, away from the event loop of the process. */
import { portOfThread } from '#platform/threads/request-listener.js';
import { EmbeddingEngineError, type EmbeddingFailure } from '../embeddings.errors.js';
import { type EmbeddedInput, type EmbeddingInput } from '../embeddings.protocol.js';
import { embedLexically } from './lexical-model.js';
import { readLexicalModel, type StoredLexicalModel } from './lexical-weights.js';

export type LexicalRequest =
  | {
      readonly kind: 'embed';
      readonly modelFile: string;
      readonly inputs: readonly EmbeddingInput[];
      readonly dimensions: number | null;
    }
  | { readonly kind: 'close' };

export type LexicalReply =
  | { readonly embedded: readonly EmbeddedInput[] }
  | {
      readonly failure: EmbeddingFailure;
      readonly message: string;
      /** The input at fault; null where the model is. */
      readonly at: number | null;
    }
  | { readonly fault: string };

const port = portOfThread();
const models = new Map<string, Promise<StoredLexicalModel>>();

/** A model that could not be read is read again: its file may have been repaired. */
const modelOf = (file: string): Promise<StoredLexicalModel> => {
  const model = models.get(file) ?? readLexicalModel(file);
  models.set(file, model);
  model.catch(() => models.delete(file));
  return model;
};

const replyTo = async (
  request: Extract<LexicalRequest, { readonly kind: 'embed' }>,
): Promise<LexicalReply> => {
  let at: number | null = null;
  try {
    const model = await modelOf(request.modelFile);
    const embedded: EmbeddedInput[] = [];
    for (const [index, input] of request.inputs.entries()) {
      at = index;
      embedded.push(embedLexically(model, input, request.dimensions));
    }
    return { embedded };
  } catch (error) {
    if (error instanceof EmbeddingEngineError) {
      return { failure: error.code, message: error.message, at };
    }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

// Requests are answered in their order, which is how the calling side tells replies apart.
let last: Promise<void> = Promise.resolve();
port.on('message', (request: LexicalRequest) => {
  last = last.then(async () => {
    if (request.kind === 'close') port.close();
    else port.postMessage(await replyTo(request));
  });
});
