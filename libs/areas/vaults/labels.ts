import { z } from 'zod';
import { ChunkRule } from './chunks.js';

/** The words of the account for a vault, sealed with a key of its user. */
export interface VaultLabel {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const PAIRS_MAX = 16;
const KEY_LENGTH_MAX = 64;
export const VALUE_LENGTH_MAX = 512;

const pairsOf = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string().min(1).max(KEY_LENGTH_MAX), value)
    .refine(
      (pairs) => Object.keys(pairs).length <= PAIRS_MAX,
      `expected at most ${PAIRS_MAX} pairs`,
    );

export const Metadata = pairsOf(z.string().max(VALUE_LENGTH_MAX));

export const Attributes = pairsOf(
  z.union([z.string().max(VALUE_LENGTH_MAX), z.number(), z.boolean()], {
    error: `expected a string of at most ${VALUE_LENGTH_MAX} characters, a number or a boolean`,
  }),
);
export type Attributes = z.infer<typeof Attributes>;

/** The words of the account for a document, sealed with a key of the vault. */
export const DocumentLabel = z.strictObject({
  title: z.string(),
  attributes: Attributes,
  chunks: ChunkRule,
});
export type DocumentLabel = Readonly<z.infer<typeof DocumentLabel>>;

export const NO_LABEL: DocumentLabel = { title: '', attributes: {}, chunks: null };
