import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { reject } from '../adapters.errors.js';
import { isLoraTarget, LORA_TARGET_NAMES, type LoraTarget } from './lora-adapter.js';

export const RANK_MAX = 64;
export const CONFIG_BYTES_MAX = 65_536;

/** Settings of `peft` that change the mathematics, and that are not supported when they are on. */
const off = z.literal(false).nullish();
const none = z
  .union([z.null(), z.array(z.unknown()).max(0), z.record(z.string(), z.unknown())])
  .optional()
  .refine((value) => value == null || Object.keys(value).length === 0, 'is not supported');

/** `adapter_config.json`; other fields (of training, of versions) do not change the weights. */
const Config = z.looseObject({
  peft_type: z.literal('LORA'),
  r: z.int().min(1).max(RANK_MAX),
  lora_alpha: z.number().positive().max(1_024),
  target_modules: z
    .array(z.string())
    .min(1)
    .max(LORA_TARGET_NAMES.length)
    .refine((names) => names.every(isLoraTarget), {
      message: `has other names than ${LORA_TARGET_NAMES.join(', ')}`,
    }),
  bias: z.literal('none').nullish(),
  fan_in_fan_out: off,
  use_rslora: off,
  use_dora: off,
  modules_to_save: none,
  rank_pattern: none,
  alpha_pattern: none,
  layers_to_transform: none,
  layer_replication: none,
});

export interface PeftConfig {
  readonly rank: number;
  readonly alpha: number;
  readonly targets: readonly LoraTarget[];
}

/** @throws DomainError `adapter_config_invalid` that names the fields */
export const readPeftConfig = (text: string): PeftConfig => {
  const parsed = Config.safeParse(jsonOf(text));
  if (parsed.success) {
    const { r: rank, lora_alpha: alpha, target_modules: names } = parsed.data;
    return { rank, alpha, targets: names.filter(isLoraTarget) };
  }
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return reject('adapter_config_invalid', `adapter_config.json: ${messageOf(faults)}`);
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return reject('adapter_config_invalid', 'adapter_config.json: is not JSON');
  }
};
