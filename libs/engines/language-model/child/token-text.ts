import type { LlamaModel, Token } from 'node-llama-cpp';
import type { RatedToken, TokenLogprob } from '#engines/language-model/language-model.protocol.js';
import { type Drawn, LOGPROB_MIN, spellingOf } from '#engines/language-model/child/native-calls.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** A character of UTF-8 has at most four bytes, and every token holds at least one. */
const CHARACTER_TOKENS_MAX = 4;
/** Some tokenizers write a word differently after another; this many say which. */
const PRECEDING_TOKENS = 8;
const INCOMPLETE = '\uFFFD';

/** Joins tokens into whole characters: one cut inside a character is held until it is complete. */
export class CharacterAssembler {
  private readonly model: LlamaModel;
  private pending: Token[] = [];
  private preceding: Token[] = [];

  constructor(model: LlamaModel) {
    this.model = model;
  }

  push(token: Token): string {
    this.pending.push(token);
    const text = this.model.detokenize(this.pending, false, this.preceding);
    if (text.endsWith(INCOMPLETE) && this.pending.length < CHARACTER_TOKENS_MAX) return '';
    this.preceding = [...this.preceding, ...this.pending].slice(-PRECEDING_TOKENS);
    this.pending = [];
    return text;
  }

  /** The complete characters of the rest; half a character at a cut-off end is dropped. */
  flush(): string {
    const text = this.model.detokenize(this.pending, false, this.preceding);
    this.pending = [];
    return withoutTrailing(text, '\uFFFD');
  }
}

/** Drawn tokens as callers read them: their text and bytes. */
export class TokenRatings {
  private readonly model: LlamaModel;
  private readonly preceding: readonly Token[];

  /** @param preceding a token before them: some tokenizers drop the space of a first one */
  constructor(model: LlamaModel, preceding: readonly Token[]) {
    this.model = model;
    this.preceding = preceding;
  }

  rate({ token, logprob = LOGPROB_MIN, top = [] }: Drawn): RatedToken {
    return {
      ...this.named(token, logprob),
      top: top.map(([id, value]) => this.named(id, value)),
    };
  }

  private named(token: Token, logprob: number): TokenLogprob {
    const text = this.model.detokenize([token], true, this.preceding);
    if (!text.includes(INCOMPLETE)) return { token: text, logprob, bytes: [...Buffer.from(text)] };
    const bytes = bytesOf(spellingOf(this.model, token));
    // A part of a character, as the OpenAI API writes it.
    const hex = bytes?.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
    return { token: hex === undefined ? text : `bytes:${hex}`, logprob, bytes };
  }
}

/** The bytes of a token that is no whole text; null for a spelling of another kind. */
const bytesOf = (spelling: string): number[] | null => {
  const single = /^<0x([0-9A-F]{2})>$/.exec(spelling)?.[1];
  if (single !== undefined) return [Number.parseInt(single, 16)];
  const bytes = Array.from(spelling, (character) => BYTE_OF.get(character));
  return bytes.includes(undefined) ? null : (bytes as number[]);
};

/**
 * How byte-level vocabularies spell bytes: printable ones as themselves, the others, in order, as
 * the characters from U+0100 on.
 */
const BYTE_OF: ReadonlyMap<string, number> = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [
      String.fromCodePoint(isPrintable(byte) ? byte : next++),
      byte,
    ]),
  );
})();
