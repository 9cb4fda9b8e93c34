/**
 * Byte-level byte-pair encoding as GPT-2 defines it, so that llama.cpp (`tokenizer.ggml.model =
 * gpt2`, `tokenizer.ggml.pre = gpt-2`) cuts every text into the same ids as the trainer.
 */
import { type BytePairVocabulary } from '#engines/training/files/gguf.js';

/** GPT-2's own splitting pattern: merges never cross the pieces it yields. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

const printable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;

/** GPT-2's table: each byte has one visible character; bytes without one start at U+0100. */
const byteCharacters: readonly string[] = (() => {
  let spare = 0x100;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(printable(byte) ? byte : spare++),
  );
})();

const bytesOfCharacters = new Map(byteCharacters.map((character, byte) => [character, byte]));

const spell = (piece: string): string[] =>
  Array.from(Buffer.from(piece, 'utf8'), (byte) => byteCharacters[byte] ?? '');

const mergeKey = (left: string, right: string): string => `${left} ${right}`;

const mergeEverywhere = (symbols: readonly string[], left: string, right: string): string[] => {
  const merged: string[] = [];
  for (let index = 0; index < symbols.length; index += 1) {
    const symbol = symbols[index] ?? '';
    const joins = symbol === left && symbols[index + 1] === right;
    merged.push(joins ? left + right : symbol);
    if (joins) index += 1;
  }
  return merged;
};

interface CountedWord {
  symbols: string[];
  readonly count: number;
}

const countPairs = (words: readonly CountedWord[]): Map<string, number> => {
  const pairs = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let index = 0; index + 1 < symbols.length; index += 1) {
      const key = mergeKey(symbols[index] ?? '', symbols[index + 1] ?? '');
      pairs.set(key, (pairs.get(key) ?? 0) + count);
    }
  }
  return pairs;
};

/** Ties go to the pair that sorts first, so a vocabulary depends on nothing but its text. */
const commonest = (pairs: ReadonlyMap<string, number>): string | undefined => {
  let best: string | undefined;
  let most = 1;
  for (const [pair, count] of pairs) {
    if (count > most || (count === most && best !== undefined && pair < best)) {
      best = pair;
      most = count;
    }
  }
  return best;
};

/** Learns merges until `size` ids exist or no pair occurs twice. */
export const trainBytePairs = (
  texts: readonly string[],
  size: number,
  controls: readonly string[],
): BytePairVocabulary => {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const piece of text.match(PIECES) ?? []) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  const words = [...counts].map(([piece, count]) => ({ symbols: spell(piece), count }));
  const tokens = [...byteCharacters];
  const merges: string[] = [];
  while (tokens.length + controls.length < size) {
    const pair = commonest(countPairs(words));
    if (pair === undefined) break;
    const [left = '', right = ''] = pair.split(' ');
    merges.push(pair);
    tokens.push(left + right);
    for (const word of words) {
      if (word.symbols.includes(left)) word.symbols = mergeEverywhere(word.symbols, left, right);
    }
  }
  return { tokens: [...tokens, ...controls], merges, controls };
};

export interface BytePairTokenizer {
  /** Ids of plain text; control tokens spelled in the text are cut as ordinary text. */
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  /** Id of a control token. Throws a RangeError for one the vocabulary lacks. */
  control(token: string): number;
}

export const bytePairTokenizer = (vocabulary: BytePairVocabulary): BytePairTokenizer => {
  const ids = new Map(vocabulary.tokens.map((token, id) => [token, id]));
  const ranks = new Map(vocabulary.merges.map((pair, rank) => [pair, rank]));
  const known = new Map<string, readonly number[]>();

  const idOf = (token: string): number => {
    const id = ids.get(token);
    if (id === undefined) throw new RangeError(`no such token: ${token}`);
    return id;
  };

  const encodePiece = (piece: string): readonly number[] => {
    let symbols = spell(piece);
    for (;;) {
      let best: { rank: number; left: string; right: string } | undefined;
      for (let index = 0; index + 1 < symbols.length; index += 1) {
        const [left = '', right = ''] = symbols.slice(index, index + 2);
        const rank = ranks.get(mergeKey(left, right));
        if (rank !== undefined && (best === undefined || rank < best.rank)) {
          best = { rank, left, right };
        }
      }
      if (best === undefined) return symbols.map(idOf);
      symbols = mergeEverywhere(symbols, best.left, best.right);
    }
  };

  return {
    encode: (text) =>
      (text.match(PIECES) ?? []).flatMap((piece) => {
        const encoded = known.get(piece) ?? encodePiece(piece);
        known.set(piece, encoded);
        return encoded;
      }),
    decode: (sequence) =>
      Buffer.from(
        sequence.flatMap((id) =>
          Array.from(
            vocabulary.tokens[id] ?? '',
            (character) => bytesOfCharacters.get(character) ?? 0,
          ),
        ),
      ).toString('utf8'),
    control: idOf,
  };
};
