/** The tensors of a decoder in Llama architecture, under Hugging Face's names. */
import { type SeededRandom } from '../seeded-random.js';

export interface LlamaShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Heads of keys and values, where several queries share one. Default: `heads`. */
  readonly keyHeads?: number;
  /** Whether the output matrix is no copy of the embedding. Default: it is the embedding. */
  readonly hasOutput?: boolean;
  readonly feedForwardWidth: number;
  readonly contextLength: number;
  readonly ropeBase: number;
  readonly normEpsilon: number;
}

/** A named matrix or vector. Matrices are `[out, in]`, as Hugging Face and GGUF store them. */
export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** The matrices of a layer, `[out, in]`, in a fixed order. */
export const layerMatrices = ({
  width,
  heads,
  keyHeads = heads,
  feedForwardWidth,
}: LlamaShape): Record<string, [number, number]> => {
  const keyWidth = (width / heads) * keyHeads;
  return {
    'self_attn.q_proj': [width, width],
    'self_attn.k_proj': [keyWidth, width],
    'self_attn.v_proj': [keyWidth, width],
    'self_attn.o_proj': [width, width],
    'mlp.gate_proj': [feedForwardWidth, width],
    'mlp.up_proj': [feedForwardWidth, width],
    'mlp.down_proj': [width, feedForwardWidth],
  };
};

/** Every tensor of the shape, in a fixed order. */
export const tensorShapes = (shape: LlamaShape): [string, number[]][] => [
  ['model.embed_tokens.weight', [shape.vocabulary, shape.width]],
  ...Array.from({ length: shape.layers }, (_, layer): [string, number[]][] => [
    [`model.layers.${layer}.input_layernorm.weight`, [shape.width]],
    [`model.layers.${layer}.post_attention_layernorm.weight`, [shape.width]],
    ...Object.entries(layerMatrices(shape)).map(([name, size]): [string, number[]] => [
      `model.layers.${layer}.${name}.weight`,
      size,
    ]),
  ]).flat(),
  ['model.norm.weight', [shape.width]],
  ...(shape.hasOutput === true
    ? [['lm_head.weight', [shape.vocabulary, shape.width]] satisfies [string, number[]]]
    : []),
];

export const parametersOf = (shape: LlamaShape): number =>
  tensorShapes(shape).reduce((sum, [, size]) => sum + lengthOf(size), 0);

export const lengthOf = (size: readonly number[]): number =>
  size.reduce((product, side) => product * side, 1);

/** Gains start at 1, matrices normal at 0.02; matrices of the residual are scaled down by depth. */
export const initialTensors = (shape: LlamaShape, random: SeededRandom): NamedTensor[] =>
  tensorShapes(shape).map(([name, size]) => {
    const values = new Float32Array(lengthOf(size));
    const residual = /(o_proj|down_proj)/.test(name) ? 1 / Math.sqrt(2 * shape.layers) : 1;
    const deviation = (name.includes('embed') ? 0.02 : 1 / Math.sqrt(size[1] ?? 1)) * residual;
    const draw = size.length === 1 ? () => 1 : () => random.normal() * deviation;
    return { name, shape: size, values: values.map(draw) };
  });
