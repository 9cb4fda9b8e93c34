import {
  InvalidWeightsError,
  type NamedTensor,
  readSafetensors,
} from '#platform/safetensors/safetensors.js';
import { reject } from '../adapters.errors.js';
import { type BaseModel } from '../base-models.port.js';
import {
  ggufNameOf,
  isLoraTarget,
  LORA_TARGETS,
  type LoraAdapter,
  type LoraPair,
  type LoraTarget,
} from './lora-adapter.js';
import { type PeftConfig } from './peft-config.js';

const PREFIX = 'base_model.model.model.layers.';
/** The layer, the module, the projection and the side, behind the prefix. */
const NAME = /^(0|[1-9]\d{0,4})\.(self_attn|mlp)\.([a-z]+_proj)\.lora_[AB]\.weight$/;

interface Place {
  readonly layer: number;
  readonly target: LoraTarget;
}

/**
 * `adapter_model.safetensors` for one base model: every pair complete, every shape as in the model,
 * every number finite.
 * @throws DomainError `adapter_weights_invalid` that names the tensor
 */
export const readPeftWeights = (
  file: Buffer,
  { rank, alpha, targets }: PeftConfig,
  base: BaseModel,
): LoraAdapter => {
  const tensors = tensorsIn(file);
  const pairs = new Map<string, Place>();
  for (const name of tensors.keys()) {
    const place = placeOf(name);
    if (!targets.includes(place.target)) wrong(name, 'is not among target_modules');
    pairs.set(ggufNameOf(place.layer, place.target), place);
  }
  if (pairs.size === 0) wrong('it', 'has no tensors');
  return {
    rank,
    alpha,
    pairs: [...pairs.values()].map((place) => pairOf(tensors, place, rank, base)),
  };
};

const tensorsIn = (file: Buffer): ReadonlyMap<string, NamedTensor> => {
  try {
    return readSafetensors(file, ['F32', 'F16', 'BF16']);
  } catch (error) {
    if (error instanceof InvalidWeightsError) return wrong('it', `is damaged: ${error.message}`);
    throw error;
  }
};

const placeOf = (name: string): Place => {
  const rest = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  const [, layer = '', module = '', target = ''] = NAME.exec(rest) ?? [];
  if (isLoraTarget(target) && LORA_TARGETS[target].module === module) {
    return { layer: Number(layer), target };
  }
  return wrong(name, 'is no name of a LoRA matrix of a Llama model as peft writes it');
};

const pairOf = (
  tensors: ReadonlyMap<string, NamedTensor>,
  { layer, target }: Place,
  rank: number,
  base: BaseModel,
): LoraPair => {
  const { module } = LORA_TARGETS[target];
  const stem = `${PREFIX}${layer}.${module}.${target}`;
  const matrix = base.matrices.get(ggufNameOf(layer, target));
  if (!matrix) return wrong(stem, `is not a matrix of ${base.modelId}`);
  const { inputs, outputs } = matrix;
  const a = matrixOf(tensors, `${stem}.lora_A.weight`, [rank, inputs]);
  const b = matrixOf(tensors, `${stem}.lora_B.weight`, [outputs, rank]);
  return { layer, target, a, b, inputs, outputs };
};

const matrixOf = (
  tensors: ReadonlyMap<string, NamedTensor>,
  name: string,
  [rows, columns]: readonly [number, number],
): Float32Array => {
  const tensor = tensors.get(name);
  if (!tensor) return wrong(name, 'is missing');
  const { shape, values } = tensor;
  if (shape.length !== 2 || shape[0] !== rows || shape[1] !== columns) {
    wrong(name, `has the shape [${shape.join(', ')}], not [${rows}, ${columns}]`);
  }
  if (!values.every(Number.isFinite)) wrong(name, 'has numbers that are not finite');
  return values;
};

const wrong = (what: string, detail: string): never =>
  reject('adapter_weights_invalid', `adapter_model.safetensors: ${what} ${detail}`);
