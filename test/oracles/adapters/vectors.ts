import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const Vectors = z.strictObject({
  versions: z.record(z.string(), z.string()),
  /** Of the base model that was loaded. */
  baseSha256: z.string(),
  adapters: z.array(
    z.strictObject({
      slug: z.string(),
      /** Of the adapter. */
      sha256: z.string(),
      /** Largest difference of logits between `peft` apart and merged. */
      mergedDifference: z.number(),
      prompts: z.array(
        z.strictObject({
          ids: z.array(z.int()),
          /** After the last id. */
          logits: z.array(z.number()),
        }),
      ),
    }),
  ),
});

/** The record of `record.py`. */
export const adapterVectors = (): z.infer<typeof Vectors> =>
  Vectors.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'vectors.json'), 'utf8')));
