import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  readTensors,
  type StoredTensors,
  writeSafetensors,
} from '#platform/safetensors/safetensors.js';
import { EmbeddingEngineError } from '../embeddings.errors.js';
import { BUCKETS } from './features.js';
import { LexicalModelCard } from './lexical-card.js';
import { isWhole, type Projection } from './projection.js';

export const CARD_FILE = 'card.json';
export const WEIGHTS_FILE = 'model.safetensors';

const LEVELS = 127;

/** The dense columns as 8-bit integers, each with a scale of its own. */
export const rounded = (projection: Projection & { readonly dense: Float32Array }): Projection => {
  const { rank, dense } = projection;
  const largest = new Float64Array(rank);
  for (let at = 0; at < dense.length; at += 1) {
    largest[at % rank] = Math.max(largest[at % rank] ?? 0, Math.abs(dense[at] ?? 0));
  }
  const scales = Float32Array.from(largest, (most) => most / LEVELS);
  const integers = Int8Array.from(dense, (value, at) =>
    Math.round(value / (scales[at % rank] ?? 1)),
  );
  return { ...projection, dense: integers, scales };
};

/** The file of a projection whose dense part is rounded. */
export const weightsFileOf = ({ rank, dense, scales, weights, idf }: Projection): Buffer =>
  writeSafetensors(
    new Map([
      ['dense', { shape: [BUCKETS, rank], values: dense }],
      ['idf', { shape: [BUCKETS], values: idf }],
      ['scales', { shape: [rank], values: scales }],
      ['weights', { shape: [BUCKETS], values: weights }],
    ]),
  );

const floatsOf = (tensors: StoredTensors, name: string): Float32Array => {
  const values = tensors.get(name)?.values;
  if (values instanceof Float32Array) return values;
  throw new Error(`it has no floats ${name}`);
};

const projectionIn = (file: Buffer, { dimensions, rank }: LexicalModelCard): Projection => {
  const tensors = readTensors(file);
  const dense = tensors.get('dense')?.values;
  if (!dense) throw new Error('it has no tensor dense');
  const [scales, weights, idf] = ['scales', 'weights', 'idf'].map((name) =>
    floatsOf(tensors, name),
  );
  const projection = { dimensions, rank, dense, scales, weights, idf } as Projection;
  if (!isWhole(projection)) throw new Error('its tensors do not fit its card');
  return projection;
};

export interface StoredLexicalModel {
  readonly card: LexicalModelCard;
  readonly projection: Projection;
}

/** @throws EmbeddingEngineError `model_file_missing`, `model_file_invalid` */
export const cardBeside = async (weightsFile: string): Promise<LexicalModelCard> => {
  const file = path.join(path.dirname(weightsFile), CARD_FILE);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new EmbeddingEngineError('model_file_missing', `${file} cannot be read`, { cause });
  });
  try {
    return LexicalModelCard.parse(JSON.parse(text));
  } catch (cause) {
    throw new EmbeddingEngineError('model_file_invalid', `${file} is no model card`, { cause });
  }
};

/**
 * The model of a weights file and of the card beside it.
 * @throws EmbeddingEngineError for weights that do not belong to the card
 */
export const readLexicalModel = async (weightsFile: string): Promise<StoredLexicalModel> => {
  const card = await cardBeside(weightsFile);
  const bytes = await readFile(weightsFile).catch((cause: unknown) => {
    throw new EmbeddingEngineError('model_file_missing', `${weightsFile} cannot be read`, {
      cause,
    });
  });
  try {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== card.weightsSha256) {
      throw new Error(`its SHA-256 is ${sha256}, the card says ${card.weightsSha256}`);
    }
    return { card, projection: projectionIn(bytes, card) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${weightsFile} cannot be used: ${reason}`;
    throw new EmbeddingEngineError('model_file_invalid', message, { cause });
  }
};
