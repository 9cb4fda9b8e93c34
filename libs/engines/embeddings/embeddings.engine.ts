import { type Embedder, InputFault } from './embedder.js';
import { EmbeddingEngineError } from './embeddings.errors.js';
import {
  type EmbeddedInput,
  type EmbeddingEnd,
  type EmbeddingInput,
  type EmbeddingPiece,
} from './embeddings.protocol.js';
import { GgufEmbedder } from './gguf/gguf.embedder.js';
import { LexicalEmbedder } from './lexical/lexical.embedder.js';

/** Between them others have their turn, and a caller that has left is noticed. */
const INPUTS_PER_PIECE = 8;

export interface EmbeddingRequest {
  /** Absolute path: `.safetensors` with a card beside it, or `.gguf`. */
  readonly modelFile: string;
  readonly inputs: readonly EmbeddingInput[];
  /** The first ones that are wanted of each vector; null for all. */
  readonly dimensions: number | null;
}

const base64Of = (vector: Float32Array): string => {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, 4 * at);
  return bytes.toString('base64');
};

const pieceOf = (embedded: readonly EmbeddedInput[]): EmbeddingPiece =>
  embedded.map(({ vector, tokens }) => ({ vector: base64Of(vector), tokens }));

/** Embeds texts with model files. Nothing is loaded and no thread started before the first one. */
export class EmbeddingsEngine {
  readonly #lexical: Embedder;
  readonly #gguf: Embedder;
  #embedded = 0;

  constructor(embedders: { readonly lexical?: Embedder; readonly gguf?: Embedder } = {}) {
    this.#lexical = embedders.lexical ?? new LexicalEmbedder();
    this.#gguf = embedders.gguf ?? new GgufEmbedder();
  }

  /** Inputs since the start. */
  get embedded(): number {
    return this.#embedded;
  }

  /**
   * Yields a few vectors at a time, in the order of the inputs.
   * @throws EmbeddingEngineError, whose message begins with `input[i]: ` for an input at fault;
   *   the reason of the signal when it aborts
   */
  async *run(
    { modelFile, inputs, dimensions }: EmbeddingRequest,
    signal: AbortSignal,
  ): AsyncGenerator<EmbeddingPiece, EmbeddingEnd, void> {
    const embedder = modelFile.endsWith('.gguf') ? this.#gguf : this.#lexical;
    let width = 0;
    for (let from = 0; from < inputs.length; from += INPUTS_PER_PIECE) {
      signal.throwIfAborted();
      const some = inputs.slice(from, from + INPUTS_PER_PIECE);
      const embedded = await embedder
        .embed({ modelFile, inputs: some, dimensions })
        .catch((error: unknown) => rethrow(error, from));
      width = embedded[0]?.vector.length ?? width;
      this.#embedded += embedded.length;
      yield pieceOf(embedded);
    }
    return { dimensions: width };
  }

  async close(): Promise<void> {
    await Promise.all([this.#lexical.close(), this.#gguf.close()]);
  }
}

const rethrow = (error: unknown, from: number): never => {
  if (!(error instanceof InputFault)) throw error;
  const { code, message, at } = error;
  throw new EmbeddingEngineError(code, `input[${from + at}]: ${message}`, { cause: error });
};
