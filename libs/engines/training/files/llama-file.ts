/** Llama models in GGUF files: their weights as they are trained, and a file with other weights. */
import { readFile } from 'node:fs/promises';
import { fileVersionOf } from '../../language-model/model-files.js';
import { parseGgufHeader } from '../../language-model/gguf.header.js';
import { ggufValue, rewrittenFile, type WrittenTensor } from '../../language-model/gguf.writer.js';
import { FLOAT_32 } from '../../llama-layers/formats/readable-formats.js';
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
 * The bytes of the file with these weights, in 32-bit floats, and this name, and every other entry
 * as it was: the tokenizer, the chat template, the licence.
 */
export const writtenAs = async (
  { path, header, shape }: LlamaFile,
  tensors: readonly NamedTensor[],
  name: string,
): Promise<Buffer> => {
  const start = (await readFile(path)).subarray(0, header.dataStart);
  const learned = new Map(tensors.map((tensor) => [ggufName(tensor.name), tensor]));
  const source = { header: parseGgufHeader(start), start };
  const written = source.header.tensors.map((info): WrittenTensor => {
    const tensor = learned.get(info.name);
    if (tensor === undefined) throw new RangeError(`the weights have no ${info.name}`);
    const { buffer, byteOffset, byteLength } = reorderHeads(tensor, shape, 'to-gguf');
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return { name: info.name, dimensions: info.dimensions, type: FLOAT_32, bytes };
  });
  const changes = { 'general.name': ggufValue.text(name) };
  return Buffer.concat(rewrittenFile(source, changes, written));
};
