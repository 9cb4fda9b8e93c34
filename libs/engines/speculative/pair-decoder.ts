/**
 * Decodes with a target and a draft. It knows no llama.cpp: a model is what keeps a cache and gives
 * distributions. The child process loads it, so it imports types only.
 */
import type * as RejectionSampling from './rejection-sampling.js';
import type { Distribution, Drafted, Random } from './rejection-sampling.js';

/** A language model with a cache of the tokens that it has evaluated. */
export interface TokenModel {
  /** Tokens in the cache. */
  readonly length: number;
  /**
   * Evaluates tokens behind the cache, all at once.
   * @returns the distribution of the next token after each of the last `count` of them
   */
  evaluate(tokens: readonly number[], count: number): Promise<readonly Distribution[]>;
  /** Forgets what the cache has behind `length` tokens. The rest is not evaluated again. */
  truncate(length: number): Promise<void>;
}

export interface Pair {
  readonly target: TokenModel;
  readonly draft: TokenModel;
}

export interface DecodingOptions {
  readonly rules: Pick<typeof RejectionSampling, 'sampleFrom' | 'verifyDrafts'>;
  readonly random: Random;
  /** Whether the model ends its turn with this token. */
  readonly isEnd: (token: number) => boolean;
  /** Tokens that are drafted for one evaluation of the target. */
  readonly draftTokensMax: number;
  readonly tokensMax: number;
}

/** The result of one evaluation of the target. */
export interface Round {
  /** Never the one that ends the turn. */
  readonly tokens: readonly number[];
  readonly drafted: number;
  /** Of those drafted; the token behind them, which the target gives, is not counted. */
  readonly accepted: number;
  /** Whether the model has ended its turn. */
  readonly ended: boolean;
}

/**
 * Yields rounds until the turn ends or `tokensMax` tokens have come.
 * @param prompt its last token, at least, is in neither cache
 */
export async function* decodePair(
  { target, draft }: Pair,
  prompt: readonly number[],
  { rules, random, isEnd, draftTokensMax, tokensMax }: DecodingOptions,
): AsyncGenerator<Round, void, void> {
  const text = [...prompt];
  for (let left = tokensMax; left > 0;) {
    // The target adds a token of its own to the tokens that it accepts.
    const drafts = await drafted(draft, text, Math.min(draftTokensMax, left - 1));
    const proposed = drafts.map(({ token }) => token);
    const unread = [...text.slice(target.length), ...proposed];
    const distributions = await target.evaluate(unread, drafts.length + 1);
    const { accepted, next } = rules.verifyDrafts(drafts, distributions, random);
    const tokens = [...proposed.slice(0, accepted), next];
    text.push(...tokens);
    await target.truncate(Math.min(target.length, text.length - 1));
    await draft.truncate(Math.min(draft.length, text.length - 1));
    const end = tokens.findIndex(isEnd);
    const shown = end === -1 ? tokens : tokens.slice(0, end);
    left -= shown.length;
    yield { tokens: shown, drafted: drafts.length, accepted, ended: end !== -1 };
    if (end !== -1) return;
  }

  async function drafted(
    model: TokenModel,
    known: readonly number[],
    count: number,
  ): Promise<readonly Drafted[]> {
    const drafts: Drafted[] = [];
    let unread = count > 0 ? known.slice(model.length) : [];
    while (drafts.length < count) {
      const [distribution] = await model.evaluate(unread, 1);
      if (distribution === undefined) throw new RangeError('the draft gave no distribution');
      const token = rules.sampleFrom(distribution, random);
      drafts.push({ token, distribution });
      unread = [token];
      if (isEnd(token)) break;
    }
    return drafts;
  }
}
