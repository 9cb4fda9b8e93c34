/** Llama models in GGUF files: their weights as they are trained, and a file with other weights. */
import { readFile } from 'node:fs/promises';
import { fileVersionOf } from '../../language-model/model-files.js';
import { parseGgufHeader } from '../../language-model/gguf.header.js';
import {
  type LlamaHeader,
  type LlamaShape as FileShape,
  readLlamaHeader,
} from '../../llama-layers/model/llama.header.js';
import { readWeights } from '../../llama-layers/model/weights.js';
import {
  lengthOf,
  type LlamaShape,
  type NamedTensor,
  parametersOf,
  tensorShapes,
} from '../model/llama-shape.js';
import { TrainingError } from '../training.errors.js';
import { ggufName, reorderHeads } from './gguf.js';

/** Weights, gradients and two moments of these fit a thread and a checkpoint that is lent. */
export const PARAMETERS_MAX = 5_000_000;

export interface LlamaFile {
  readonly path: string;
  readonly header: LlamaHeader;
  readonly shape: LlamaShape;
  /** Under Hugging Face's names, in the order of `tensorShapes`. */
  readonly tensors: readonly NamedTensor[];
}

const trainable = (file: FileShape): LlamaShape => {
  const { width, heads, headWidth, keyHeads, contextTokens, isTied, ...rest } = file;
  if (headWidth * heads !== width) {
    const detail = `its heads are ${headWidth} wide, not ${width / heads}`;
    throw new TrainingError('model_unsupported', `the model cannot be trained: ${detail}`);
  }
  const { vocabulary, layers, feedForwardWidth, ropeBase, normEpsilon } = rest;
  return {
    vocabulary,
    width,
    layers,
    heads,
    keyHeads,
    hasOutput: !isTied,
    feedForwardWidth,
    contextLength: contextTokens,
    ropeBase,
    normEpsilon,
  };
};

/**
 * The shape of a model that can be trained.
 * @throws ModelFileMissingError, ModelFileInvalidError; LayersError, TrainingError
 *   `model_unsupported`; TrainingError `model_too_large`
 */
export const trainableShape = async (path: string): Promise<LlamaShape> =>
  demandSize(trainable((await headerOf(path)).shape));

const headerOf = async (path: string): Promise<LlamaHeader> => {
  await fileVersionOf(path);
  return readLlamaHeader(path);
};

const demandSize = (shape: LlamaShape): LlamaShape => {
  const parameters = parametersOf(shape);
  if (parameters <= PARAMETERS_MAX) return shape;
  const detail = `it has ${parameters} parameters; at most ${PARAMETERS_MAX} are trained`;
  throw new TrainingError('model_too_large', `the model cannot be trained: ${detail}`);
};

/** @throws as `trainableShape` does */
export const readLlamaFile = async (path: string): Promise<LlamaFile> => {
  const header = await headerOf(path);
  const shape = demandSize(trainable(header.shape));
  const range = { first: 0, last: shape.layers - 1 };
  const weights = await readWeights(path, header, range);
  const tensors = tensorShapes(shape).map(([name, size]): NamedTensor => {
    const values = weights.get(ggufName(name)) ?? new Float32Array(lengthOf(size));
    const tensor = { name, shape: size, values };
    return { ...tensor, values: reorderHeads(tensor, shape, 'to-hugging-face') };
  });
  return { path, header, shape, tensors };
};

/**
 * The bytes of the file with these weights and this name, and everything else as it was: the
 * tokenizer, the chat template, the licence.
 */
export const writtenAs = async (
  { path, header, shape }: LlamaFile,
  tensors: readonly NamedTensor[],
  name: string,
): Promise<Buffer> => {
  const original = await readFile(path);
  const head = renamed(original.subarray(0, header.dataStart), name);
  const data = Buffer.from(original.subarray(header.dataStart));
  for (const tensor of tensors) {
    const info = header.tensors.get(ggufName(tensor.name));
    if (info === undefined) throw new RangeError(`the file has no ${tensor.name}`);
    const values = reorderHeads(tensor, shape, 'to-gguf');
    const { buffer, byteOffset, byteLength } = values;
    Buffer.from(buffer, byteOffset, byteLength).copy(data, info.offset);
  }
  return Buffer.concat([head, data]);
};

const TEXT_TYPE = 8;

/** A key of the header in front of a text, as the container writes it. */
const textKey = (key: string): Buffer => {
  const bytes = Buffer.alloc(8 + key.length + 4);
  bytes.writeBigUInt64LE(BigInt(key.length));
  bytes.write(key, 8);
  bytes.writeUInt32LE(TEXT_TYPE, 8 + key.length);
  return bytes;
};

/** Tensors are found from the end of the header on, so its length may change. */
const renamed = (head: Buffer, name: string): Buffer => {
  const key = textKey('general.name');
  const at = head.indexOf(key);
  if (at === -1) return head;
  const start = at + key.length;
  const end = start + 8 + Number(head.readBigUInt64LE(start));
  const text = Buffer.from(name, 'utf8');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const changed = Buffer.concat([head.subarray(0, start), length, text, head.subarray(end)]);
  const padded = Buffer.alloc(parseGgufHeader(changed).dataStart);
  changed.copy(padded);
  return padded;
};
