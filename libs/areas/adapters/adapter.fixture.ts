import { AdapterRemoved, AdapterUploaded } from '#events/adapters/adapter.events.js';
import { UserId } from '#events/vocabulary.js';
import { writeSafetensors } from '#platform/safetensors/safetensors.js';
import { type BaseMatrix, type BaseModel } from './base-models.port.js';

export const ADAPTER = 'adapter-0123456789abcdef0123456789abcdef';
export const UPLOADED_AT = '2026-03-01T09:00:00.000Z';
export const REMOVED_AT = '2026-03-02T09:00:00.000Z';

const named = {
  adapterId: ADAPTER,
  accountId: '7',
  slug: 'house-style',
  userId: UserId.parse(7),
  blob: 'ab'.repeat(32),
};

export const uploaded = AdapterUploaded.of({
  ...named,
  category: 'register',
  baseModel: 'quipu/nano',
  baseSha256: 'cd'.repeat(32),
  rank: 2,
  alpha: 4,
  bytes: 1_000,
  sha256: 'ef'.repeat(32),
  uploadedAt: UPLOADED_AT,
});

export const uploadedAs = (adapterId: string, slug: string): AdapterUploaded =>
  AdapterUploaded.of({ ...uploaded.data, adapterId, slug });

export const removed = AdapterRemoved.of({ ...named, removedAt: REMOVED_AT });

/** Two heads of four, in two layers; one of the projections is not square. */
export const tinyBase: BaseModel = {
  modelId: 'acme/tiny',
  sha256: 'cd'.repeat(32),
  heads: 2,
  keyValueHeads: 1,
  matrices: new Map<string, BaseMatrix>(
    [0, 1].flatMap((layer): [string, BaseMatrix][] => [
      [`blk.${layer}.attn_q`, { inputs: 8, outputs: 8 }],
      [`blk.${layer}.attn_k`, { inputs: 8, outputs: 4 }],
      [`blk.${layer}.ffn_up`, { inputs: 8, outputs: 6 }],
    ]),
  ),
};

export const tinyConfig = {
  peft_type: 'LORA',
  r: 2,
  lora_alpha: 4,
  target_modules: ['q_proj', 'k_proj', 'up_proj'],
  bias: 'none',
  modules_to_save: null,
  rank_pattern: {},
};

const nameOf = (layer: number, target: string, side: string): string => {
  const module = target === 'up_proj' ? 'mlp' : 'self_attn';
  return `base_model.model.model.layers.${layer}.${module}.${target}.lora_${side}.weight`;
};

const matrix = (rows: number, columns: number, from: number) => ({
  shape: [rows, columns],
  values: Float32Array.from({ length: rows * columns }, (_, index) => from + index),
});

/** Numbers that tell the places of the matrices apart. */
export const tinyTensors = () =>
  new Map([
    [nameOf(0, 'q_proj', 'A'), matrix(2, 8, 0)],
    [nameOf(0, 'q_proj', 'B'), matrix(8, 2, 100)],
    [nameOf(1, 'k_proj', 'A'), matrix(2, 8, 200)],
    [nameOf(1, 'k_proj', 'B'), matrix(4, 2, 300)],
    [nameOf(1, 'up_proj', 'A'), matrix(2, 8, 400)],
    [nameOf(1, 'up_proj', 'B'), matrix(6, 2, 500)],
  ]);

export const tinyWeights = (): Buffer => writeSafetensors(tinyTensors());
