import { z } from 'zod';
import { AdapterSlug } from '#events/adapters/adapter.events.js';
import { LORA_TARGET_NAMES } from './lora/lora-adapter.js';

const Sha256 = z.string().regex(/^[\da-f]{64}$/);

/** Measured after training, in nats per token of held-out answers. */
const HeldOut = z.strictObject({
  /** Mean -log p with the adapter. */
  loss: z.number(),
  /** The same without it. */
  baseLoss: z.number(),
  /** The same for tokens drawn by their frequency in the training text. */
  frequencyLoss: z.number(),
  tokens: z.int().positive(),
});

export const ShippedCard = z.strictObject({
  slug: AdapterSlug,
  category: AdapterSlug,
  description: z.string(),
  /** Beside the manifest. */
  file: z.string(),
  bytes: z.int().positive(),
  sha256: Sha256,
  heldOut: HeldOut,
  /** At temperature 0. */
  sample: z.strictObject({ prompt: z.string(), answer: z.string() }),
  trainingSeconds: z.number(),
});
export type ShippedCard = z.infer<typeof ShippedCard>;

/** `manifest.json` in a folder of adapters. */
export const AdapterManifest = z.strictObject({
  /** The model of the catalog that the adapters were trained on. */
  baseModel: z.string(),
  /** Of its GGUF file. */
  baseSha256: Sha256,
  rank: z.int().positive(),
  alpha: z.number().positive(),
  /** Names of projections, as `peft` has them. */
  targets: z.array(z.enum(LORA_TARGET_NAMES)),
  adapters: z.array(ShippedCard),
});
export type AdapterManifest = z.infer<typeof AdapterManifest>;
