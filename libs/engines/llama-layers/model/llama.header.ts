/** The header of a GGUF file of a Llama model, checked against the features of this backend. */
import { type GgufHeader, type GgufTensorInfo } from '../../language-model/gguf.header.js';
import { headerOf } from '../../language-model/model-files.js';
import { unsupported } from '../llama-layers.errors.js';
import { READABLE_NAMES, readableFormat } from '../formats/readable-formats.js';
import { tensorTypeName } from './tensor-types.js';

export interface LlamaShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Heads of keys and values; fewer than `heads` where several queries share one. */
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly feedForwardWidth: number;
  readonly contextTokens: number;
  readonly ropeBase: number;
  readonly normEpsilon: number;
  /** Whether the output matrix is the embedding. */
  readonly isTied: boolean;
}

export interface LlamaHeader {
  readonly shape: LlamaShape;
  readonly metadata: GgufHeader['metadata'];
  readonly tensors: ReadonlyMap<string, GgufTensorInfo>;
  /** Bytes from the start of the file. */
  readonly dataStart: number;
}

/** llama.cpp's names, with the dimensions of each in its order: the length of a row first. */
export const layerTensors = (
  { width, heads, keyHeads, headWidth, feedForwardWidth }: LlamaShape,
  layer: number,
): readonly (readonly [name: string, dimensions: readonly number[]])[] => [
  [`blk.${layer}.attn_norm.weight`, [width]],
  [`blk.${layer}.attn_q.weight`, [width, heads * headWidth]],
  [`blk.${layer}.attn_k.weight`, [width, keyHeads * headWidth]],
  [`blk.${layer}.attn_v.weight`, [width, keyHeads * headWidth]],
  [`blk.${layer}.attn_output.weight`, [heads * headWidth, width]],
  [`blk.${layer}.ffn_norm.weight`, [width]],
  [`blk.${layer}.ffn_gate.weight`, [width, feedForwardWidth]],
  [`blk.${layer}.ffn_up.weight`, [width, feedForwardWidth]],
  [`blk.${layer}.ffn_down.weight`, [feedForwardWidth, width]],
];

export const EMBEDDING = 'token_embd.weight';
export const OUTPUT_NORM = 'output_norm.weight';
export const OUTPUT = 'output.weight';

/**
 * @throws ModelFileMissingError, ModelFileInvalidError; LayersError `model_unsupported`, which
 *   names the architecture, the tensor with its type, or the key that is not computed here
 */
export const readLlamaHeader = async (modelFile: string): Promise<LlamaHeader> =>
  llamaHeaderOf(await headerOf(modelFile));

/** @throws LayersError `model_unsupported` */
export const llamaHeaderOf = ({ metadata, tensors, dataStart }: GgufHeader): LlamaHeader => {
  const architecture = metadata.get('general.architecture');
  if (architecture !== 'llama') unsupported(`its architecture is ${String(architecture)}`);
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const shape = shapeOf(metadata, byName);
  demandTensors(shape, byName);
  return { shape, metadata, tensors: byName, dataStart };
};

const shapeOf = (
  metadata: GgufHeader['metadata'],
  tensors: ReadonlyMap<string, GgufTensorInfo>,
): LlamaShape => {
  const number = (key: string, fallback?: number): number => {
    const value = metadata.get(`llama.${key}`) ?? fallback;
    return typeof value === 'number' && value > 0 ? value : unsupported(`it has no llama.${key}`);
  };
  const layers = number('block_count');
  // Each layer has tensors: a larger number would only be counted up to.
  if (layers > tensors.size) unsupported(`its llama.block_count is ${layers}`);
  const width = number('embedding_length');
  const heads = number('attention.head_count');
  const headWidth = number('attention.key_length', width / heads);
  demandPlainRotation(metadata, headWidth);
  return {
    vocabulary: tensors.get(EMBEDDING)?.dimensions[1] ?? unsupported(`it has no ${EMBEDDING}`),
    width,
    layers,
    heads,
    keyHeads: number('attention.head_count_kv', heads),
    headWidth,
    feedForwardWidth: number('feed_forward_length'),
    contextTokens: number('context_length'),
    ropeBase: number('rope.freq_base', 10_000),
    normEpsilon: number('attention.layer_norm_rms_epsilon'),
    isTied: !tensors.has(OUTPUT),
  };
};

/** Scaled or partial rotations are refused: ignoring them would only look like an answer. */
const demandPlainRotation = (metadata: GgufHeader['metadata'], headWidth: number): void => {
  const scaling = metadata.get('llama.rope.scaling.type') ?? 'none';
  if (scaling !== 'none') unsupported(`its llama.rope.scaling.type is ${JSON.stringify(scaling)}`);
  const rotated = metadata.get('llama.rope.dimension_count') ?? headWidth;
  if (rotated !== headWidth)
    unsupported(`it rotates ${JSON.stringify(rotated)} of ${headWidth} values`);
};

const demandTensors = (shape: LlamaShape, tensors: ReadonlyMap<string, GgufTensorInfo>): void => {
  const { vocabulary, width, layers } = shape;
  const expected = new Map([
    [EMBEDDING, [width, vocabulary]],
    [OUTPUT_NORM, [width]],
    ...(shape.isTied ? [] : ([[OUTPUT, [width, vocabulary]]] as const)),
    ...Array.from({ length: layers }, (_, layer) => layerTensors(shape, layer)).flat(),
  ]);
  for (const [name, { type, dimensions }] of tensors) {
    const format = readableFormat(type);
    if (format === undefined) {
      const readable = READABLE_NAMES.join(', ');
      return unsupported(`its tensor ${name} is ${tensorTypeName(type)}, not one of ${readable}`);
    }
    const [rowLength = 0] = dimensions;
    if (rowLength % format.blockWeights !== 0) {
      unsupported(`its tensor ${name} has rows of ${rowLength}, no whole blocks of ${format.name}`);
    }
    if (!expected.has(name)) unsupported(`its tensor ${name} has no place in a plain Llama`);
  }
  for (const [name, dimensions] of expected) {
    const found = tensors.get(name)?.dimensions ?? unsupported(`it has no tensor ${name}`);
    if (found.join() === dimensions.join()) continue;
    unsupported(`its tensor ${name} is ${found.join(' x ')}, not ${dimensions.join(' x ')}`);
  }
};
