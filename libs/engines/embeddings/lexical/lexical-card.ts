import { z } from 'zod';

const Share = z.number().min(0).max(1);
const Count = z.int().nonnegative();

/** Of a retrieval task in which each query has one right document. */
export const RetrievalScore = z.strictObject({
  /** Share of the queries whose right document comes first. */
  recallAt1: Share,
  /** Mean reciprocal rank of the right document. */
  mrr: Share,
  /** Normalized discounted cumulative gain of the first ten documents. */
  ndcgAt10: Share,
});
export type RetrievalScore = z.infer<typeof RetrievalScore>;

const TaskReport = z.strictObject({
  name: z.string(),
  description: z.string(),
  queries: Count,
  documents: Count,
  /** The stored weights. */
  model: RetrievalScore,
  /** The same before the weights were rounded to 8 bits. */
  beforeRounding: RetrievalScore,
  /** The first columns only, by their number. */
  prefixes: z.record(z.string(), RetrievalScore),
  /** The same features by TF-IDF, in all their buckets, without a matrix. */
  tfIdf: RetrievalScore,
  /** scikit-learn: HashingVectorizer, TfidfTransformer, TruncatedSVD of as many dimensions. */
  svd: RetrievalScore,
});

/** The description of a lexical model, stored beside its weights. */
export const LexicalModelCard = z.strictObject({
  name: z.string(),
  kind: z.literal('lexical'),
  dimensions: Count,
  /** Dense, trained columns. */
  rank: Count,
  buckets: Count,
  /** In which tokens are counted, and which token arrays are read by. */
  tokenizer: z.literal('cl100k_base'),
  tokensMax: Count,
  weightsBytes: Count,
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  seed: Count,
  steps: Count,
  pairsPerStep: Count,
  trainingSeconds: z.number().nonnegative(),
  retrieval: z.array(TaskReport).min(1),
});
export type LexicalModelCard = z.infer<typeof LexicalModelCard>;
export type TaskReport = z.infer<typeof TaskReport>;
