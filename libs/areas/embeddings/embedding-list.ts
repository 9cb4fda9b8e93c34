import { type EmbeddingUsage, type Vector } from './ports.js';

/** Embeddings in the shape of the OpenAI API. */
export interface EmbeddingList {
  readonly object: 'list';
  readonly data: readonly {
    readonly object: 'embedding';
    readonly index: number;
    readonly embedding: Vector;
  }[];
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

/** @param vectors in the encoding that was asked for */
export const embeddingList = (
  model: string,
  vectors: readonly Vector[],
  { promptTokens }: EmbeddingUsage,
): EmbeddingList => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model,
  usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
});
