/** A model below it is small. */
export const SMALL_MODEL_BYTES = 64 * 1024 * 1024;

/**
 * Several threads would spend their time on a small model waiting for each other, and it can afford
 * attention in full precision, with which its logits equal the logits of its trainer.
 */
export const SMALL_MODEL_CONTEXT = {
  threads: 1,
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
} as const;
