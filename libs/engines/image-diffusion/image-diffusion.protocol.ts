import { z } from 'zod';
import { Scene } from './scene.js';

/** The pixels of a side of each picture that the network draws. */
export const IMAGE_SIDE = 32;
const PIXELS_BASE64 = (IMAGE_SIDE * IMAGE_SIDE * 3 * 4) / 3;
export const STEPS_MAX = 50;
export const GUIDANCE_MAX = 10;
export const SEED_MAX = 2 ** 32 - 1;

/** Red, green and blue of each pixel, row by row, in base64. */
const Pixels = z.base64().length(PIXELS_BASE64);

/** One picture is one task, so that others have their turn between two pictures. */
export const ImageTask = z.strictObject({
  scene: Scene,
  seed: z.int().min(0).max(SEED_MAX),
  steps: z.int().min(1).max(STEPS_MAX),
  guidance: z.number().min(1).max(GUIDANCE_MAX),
  /** The picture to start from, and how far it may change; null: from noise. */
  start: z.strictObject({ pixels: Pixels, strength: z.number().min(0).max(1) }).nullable(),
});
export type ImageTask = z.infer<typeof ImageTask>;

export const ImageEnd = z.strictObject({
  pixels: Pixels,
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** In the thread, without loading the model. */
  elapsedMs: z.number().nonnegative(),
});
export type ImageEnd = z.infer<typeof ImageEnd>;
