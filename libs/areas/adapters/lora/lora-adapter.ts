/** A low-rank adapter: to a matrix W it adds (alpha / rank) B A. */
export interface LoraAdapter {
  readonly rank: number;
  readonly alpha: number;
  readonly pairs: readonly LoraPair[];
}

export interface LoraPair {
  readonly layer: number;
  readonly target: LoraTarget;
  /** `[rank, inputs]`, row-major. */
  readonly a: Float32Array;
  /** `[outputs, rank]`, row-major; rows in the order of Hugging Face. */
  readonly b: Float32Array;
  readonly inputs: number;
  readonly outputs: number;
}

/** The names of projections in `peft`, with their names in the GGUF format. */
export const LORA_TARGETS = {
  q_proj: { module: 'self_attn', gguf: 'attn_q' },
  k_proj: { module: 'self_attn', gguf: 'attn_k' },
  v_proj: { module: 'self_attn', gguf: 'attn_v' },
  o_proj: { module: 'self_attn', gguf: 'attn_output' },
  gate_proj: { module: 'mlp', gguf: 'ffn_gate' },
  up_proj: { module: 'mlp', gguf: 'ffn_up' },
  down_proj: { module: 'mlp', gguf: 'ffn_down' },
} as const;
export type LoraTarget = keyof typeof LORA_TARGETS;

export const LORA_TARGET_NAMES = Object.keys(LORA_TARGETS) as readonly LoraTarget[];

export const isLoraTarget = (name: string): name is LoraTarget => Object.hasOwn(LORA_TARGETS, name);

export const ggufNameOf = (layer: number, target: LoraTarget): string =>
  `blk.${layer}.${LORA_TARGETS[target].gguf}`;
