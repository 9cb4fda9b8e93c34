import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { type EmbeddingAsked, type InvalidEmbeddingBody } from './embedding-body.js';
import { type Vector } from './ports.js';
import { numbersOf } from './vectors.js';

/** One input of the request is the query. */
export const RERANK_DOCUMENTS_MAX = 1_000;

const Text = z.string().min(1, 'must not be empty');

/** The body of Cohere and Jina, as LiteLLM and vLLM take it. */
export const RerankBody = z.strictObject({
  model: z.string().min(1).max(256),
  query: Text,
  documents: z
    .array(z.union([Text, z.strictObject({ text: Text })], 'must be a text or {"text": …}'))
    .min(1, 'must not be empty')
    .max(RERANK_DOCUMENTS_MAX),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  user: z.string().max(512).nullish(),
});

export interface RerankAsked {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  /** Default: all. */
  readonly topN: number;
  readonly returnsDocuments: boolean;
  readonly user?: string;
  /** The query, then the documents. */
  readonly embeddings: EmbeddingAsked;
}

export const readRerankBody = (
  value: unknown,
): { readonly asked: RerankAsked } | { readonly invalid: InvalidEmbeddingBody } => {
  const parsed = RerankBody.safeParse(value);
  if (parsed.success) return { asked: askedOf(parsed.data) };
  const faults = parsed.error.issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [''];
    return names.map((name) => ({
      param: [...issue.path, ...(name === '' ? [] : [name])].map(String).join('.'),
      message: name === '' ? issue.message : 'this field is not supported',
    }));
  });
  const lines = faults.map(({ param, message }) => `${param}: ${message}`);
  return { invalid: { message: messageOf(lines), param: faults[0]?.param ?? null } };
};

const askedOf = ({
  model,
  query,
  documents: sent,
  top_n: topN,
  return_documents: returnsDocuments,
  user,
}: z.infer<typeof RerankBody>): RerankAsked => {
  const documents = sent.map((one) => (typeof one === 'string' ? one : one.text));
  const inputs = [query, ...documents];
  const body = { model, input: inputs, ...(user != null && { user }) };
  return {
    model,
    query,
    documents,
    topN: topN ?? documents.length,
    returnsDocuments: returnsDocuments ?? true,
    ...(user != null && { user }),
    embeddings: { model, inputs, dimensions: null, encoding: 'float', body },
  };
};

export interface RankedDocument {
  /** Of the document in the request. */
  readonly index: number;
  /** The cosine of the document and the query, -1 to 1; of a model that ranks, its own score. */
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

/**
 * The documents by the cosine of their embedding and that of the query, the nearest first; equal
 * ones stay in their order.
 * @param vectors of the query, then of the documents
 */
export const ranked = (
  [query = [], ...documents]: readonly Vector[],
  rerank: RerankAsked,
): readonly RankedDocument[] => {
  const asked = numbersOf(query);
  const scores = documents.map((vector, index) => ({
    index,
    relevance_score: cosineOf(asked, numbersOf(vector)),
  }));
  return inOrder(scores, rerank);
};

/** By the scores of a model that ranks. */
export const scored = (
  results: readonly Readonly<Record<string, unknown>>[],
  asked: RerankAsked,
): readonly RankedDocument[] =>
  inOrder(
    results.map(({ index, relevance_score: score }) => ({
      index: Number(index),
      relevance_score: Number(score),
    })),
    asked,
  );

const inOrder = (
  scores: readonly RankedDocument[],
  { documents: texts, topN, returnsDocuments }: RerankAsked,
): readonly RankedDocument[] =>
  scores
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, topN)
    .map((one) =>
      returnsDocuments ? { ...one, document: { text: texts[one.index] ?? '' } } : one,
    );

/** 0 for a vector without a direction. */
const cosineOf = (one: readonly number[], other: readonly number[]): number => {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : product / lengths;
};
