const SEEDS = [0x9e3779b9, 0x85ebca6b] as const;
const PRIMES = [0x01000193, 0x5bd1e995] as const;

const mixed = (text: string, seed: number, prime: number): number => {
  let state = seed;
  for (let at = 0; at < text.length; at += 1) {
    state = Math.imul(state ^ text.charCodeAt(at), prime);
    state ^= state >>> 15;
  }
  return state >>> 0;
};

/**
 * 64 bits of a text in hex, to spread texts over keys. It is no digest: a person can make two texts
 * with the same bits, so a reader compares the texts as well.
 */
export const textBits = (text: string): string =>
  SEEDS.map((seed, index) =>
    mixed(text, seed, PRIMES[index] ?? 1)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
