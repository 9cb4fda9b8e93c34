import { createHash } from 'node:crypto';

/** A piece of a prompt, and how long the prefix that ends with it is to be kept. */
export interface PromptPiece {
  /** As the model reads it. */
  readonly text: string;
  readonly keep?: '5m' | '1h' | undefined;
}

export interface CachedCounts {
  readonly fresh: number;
  readonly read: number;
  readonly written5m: number;
  readonly written1h: number;
}

/** Four bytes a token, rounded up: a fake tokenizer, the same for every caller. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);

/** A cache of prompts by their prefixes, which any changed byte of a prefix misses. */
export class PrefixCache {
  readonly #kept = new Set<string>();

  /** @param tokensMin of a prefix that is kept at all */
  constructor(private readonly tokensMin: number) {}

  /**
   * Reads the longest prefix that is kept and ends at one of the pieces, and keeps the prefixes that
   * the pieces ask for.
   */
  count(owner: string, pieces: readonly PromptPiece[]): CachedCounts {
    const hash = createHash('sha256').update(owner);
    let tokens = 0;
    let read = 0;
    const marks: { key: string; tokens: number; keep: '5m' | '1h' }[] = [];
    for (const { text, keep } of pieces) {
      hash.update(text).update('\n');
      tokens += tokensOf(text);
      const key = hash.copy().digest('hex');
      if (this.#kept.has(key)) read = tokens;
      if (keep && tokens >= this.tokensMin) marks.push({ key, tokens, keep });
    }
    const written = { '5m': 0, '1h': 0 };
    let before = read;
    for (const { key, tokens: until, keep } of marks) {
      this.#kept.add(key);
      if (until <= before) continue;
      written[keep] += until - before;
      before = until;
    }
    return {
      fresh: tokens - before,
      read,
      written5m: written['5m'],
      written1h: written['1h'],
    };
  }
}
