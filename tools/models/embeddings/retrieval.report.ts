/** The held-out scores of a model, beside those of the baselines. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BUCKETS, featuresOf } from '#engines/embeddings/lexical/features.js';
import { RetrievalScore, type TaskReport } from '#engines/embeddings/lexical/lexical-card.js';
import {
  project,
  type Projection,
  weightedFeatures,
} from '#engines/embeddings/lexical/projection.js';
import { unitVector } from '#engines/embeddings/unit-vector.js';
import { type RetrievalTask, retrievalTasks, scoreOf } from './retrieval.js';

/** Written by `test/oracles/embeddings/svd_scores.py`. */
export const SvdScores = z.strictObject({
  versions: z.record(z.string(), z.string()),
  /** Of the texts, so that scores of other texts are not taken for these. */
  tasksSha256: z.string(),
  /** By dimensions, then by task. */
  scores: z.record(z.string(), z.record(z.string(), RetrievalScore)),
});

const PREFIXES = [64, 128, 256, 512] as const;
const SVD_FILE = 'test/oracles/embeddings/svd_scores.json';

export const tasksSha256 = (tasks: readonly RetrievalTask[]): string =>
  createHash('sha256').update(JSON.stringify(tasks)).digest('hex');

/** @throws Error for scores of other texts */
export const svdScores = async (tasks: readonly RetrievalTask[]) => {
  const file = path.resolve(SVD_FILE);
  const recorded = SvdScores.parse(JSON.parse(await readFile(file, 'utf8')));
  if (recorded.tasksSha256 === tasksSha256(tasks)) return recorded.scores;
  throw new Error(`${file} is about other texts: run test/oracles/embeddings/svd_scores.py again`);
};

export const embedderOf =
  (projection: Projection, dimensions = projection.dimensions) =>
  (text: string): Float32Array =>
    unitVector(project(featuresOf(text), projection), dimensions);

/** The features themselves, without a matrix. */
export const tfIdfOf =
  (idf: Float32Array) =>
  (text: string): Float32Array => {
    const features = featuresOf(text);
    const values = weightedFeatures(features, idf);
    const vector = new Float32Array(BUCKETS);
    for (const [at, bucket] of features.buckets.entries()) vector[bucket] = values[at] ?? 0;
    return vector;
  };

/** @param exact the same before its weights were rounded */
export const reportsOf = async (stored: Projection, exact: Projection): Promise<TaskReport[]> => {
  const tasks = retrievalTasks();
  const svd = (await svdScores(tasks))[String(stored.dimensions)] ?? {};
  return tasks.map((task) => ({
    name: task.name,
    description: task.description,
    queries: task.queries.length,
    documents: task.documents.length,
    model: scoreOf(task, embedderOf(stored)),
    beforeRounding: scoreOf(task, embedderOf(exact)),
    prefixes: Object.fromEntries(
      PREFIXES.map((prefix) => [prefix, scoreOf(task, embedderOf(stored, prefix))]),
    ),
    tfIdf: scoreOf(task, tfIdfOf(stored.idf)),
    svd: RetrievalScore.parse(svd[task.name]),
  }));
};
