import { randomFillSync } from 'node:crypto';

/** Uniform whole numbers from 0 up to but excluding a bound. */
export interface RandomSource {
  below(bound: bigint): bigint;
  /** The same for a bound of at most `WORD`. */
  belowWord(bound: number): number;
}

const WORD_BITS = 32;
export const WORD = 2 ** WORD_BITS;
const POOL_WORDS = 4_096;

/**
 * The generator of `node:crypto`. A draw above the bound is drawn again, so every value is equally
 * likely. The number of draws depends on chance: the time is not constant.
 */
export class CryptoSource implements RandomSource {
  readonly #pool = new Uint32Array(POOL_WORDS);
  #at = POOL_WORDS;

  belowWord(bound: number): number {
    if (bound < 1) throw new RangeError('a bound of at least 1 is needed');
    // The bits above the highest bit of `bound - 1` are dropped.
    const excess = Math.clz32(bound - 1);
    if (excess === WORD_BITS) return 0;
    for (;;) {
      const drawn = this.#word() >>> excess;
      if (drawn < bound) return drawn;
    }
  }

  below(bound: bigint): bigint {
    if (bound <= BigInt(WORD)) return BigInt(this.belowWord(Number(bound)));
    const bits = (bound - 1n).toString(2).length;
    const words = Math.ceil(bits / WORD_BITS);
    const excess = BigInt(words * WORD_BITS - bits);
    for (;;) {
      let drawn = 0n;
      for (let word = 0; word < words; word += 1) {
        drawn = (drawn << BigInt(WORD_BITS)) | BigInt(this.#word());
      }
      drawn >>= excess;
      if (drawn < bound) return drawn;
    }
  }

  /** Each word is used once. */
  #word(): number {
    if (this.#at === POOL_WORDS) {
      randomFillSync(this.#pool);
      this.#at = 0;
    }
    const word = this.#pool[this.#at] ?? 0;
    this.#at += 1;
    return word;
  }
}
