/**
 * The calls of node-llama-cpp that work and that its types do not show: adapters on a context that
 * exists, a copy of a sequence's state, and the logits beside the token that is drawn from them.
 * Its version is pinned, and the specs of this engine fail for one that has lost them.
 */
import type {
  LlamaContext,
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
} from 'node-llama-cpp';

/** An adapter in memory, made for one model. */
export interface NativeAdapter {
  /** Frees it. It must be on no context. */
  dispose(): Promise<void>;
}

interface NativeSampler {
  applyConfig(config: object): void;
  dispose(): void;
}

type LogitsWanted = readonly [
  tokens: readonly Token[],
  highest: boolean,
  lowest: boolean,
  selected: boolean,
  top: number,
];

/** The logits are pairs of a token and its logit; the total weight is relative to the highest. */
type SampledLogits = readonly [
  token: Token | -1,
  undefined,
  undefined,
  pairs: readonly number[],
  totalWeight: number,
];

interface ModelInternals {
  readonly _llama: {
    readonly _bindings: {
      readonly AddonModelLora: new (model: unknown, file: string) => NativeAdapter;
      readonly AddonSampler: new (model: unknown) => NativeSampler;
    };
  };
  readonly _model: {
    loadLora(adapter: NativeAdapter): Promise<void>;
    getTokenString(token: Token): string;
  };
}

interface ContextInternals {
  readonly _ctx: {
    setLoras(adapters: readonly NativeAdapter[], scales: readonly number[]): void;
    sampleToken(row: number, sampler: NativeSampler): Promise<Token | -1>;
    sampleToken(
      row: number,
      sampler: NativeSampler,
      probabilities: false,
      confidence: false,
      logits: LogitsWanted,
      totalWeight: true,
    ): Promise<SampledLogits>;
  };
}

interface SequenceInternals {
  _decodeTokens(
    tokens: readonly Token[],
    wanted: readonly (true | undefined)[],
    priority: number,
    meter: unknown,
    shift: { readonly size: number; readonly strategy: 'eraseBeginning' },
    atRow: (row: number) => Promise<Drawn | null>,
  ): Promise<readonly (Drawn | null | undefined)[]>;
  _copyStateFromOtherSequence(other: LlamaContextSequence, tokens: number): Promise<boolean>;
}

/** Rejects for a file that is no adapter of this model; the log has the reason. */
export const loadAdapter = async (model: LlamaModel, file: string): Promise<NativeAdapter> => {
  const { _llama, _model } = model as unknown as ModelInternals;
  const adapter = new _llama._bindings.AddonModelLora(_model, file);
  await _model.loadLora(adapter);
  return adapter;
};

/** For all sequences of the context, from the next token on. Nothing may be in evaluation. */
export const setAdapters = (
  context: LlamaContext,
  adapters: readonly NativeAdapter[],
  scales: readonly number[],
): void => {
  (context as unknown as ContextInternals)._ctx.setLoras(adapters, scales);
};

/** Makes `to` a sequence that has read the same tokens. Both are of one context. */
export const copyState = async (
  from: LlamaContextSequence,
  to: LlamaContextSequence,
): Promise<boolean> =>
  (to as unknown as SequenceInternals)._copyStateFromOtherSequence(from, from.nextTokenIndex);

/** A token as the vocabulary spells it: with `Ġ` or `▁` for a space, `<0x0A>` for a byte. */
export const spellingOf = (model: LlamaModel, token: Token): string =>
  (model as unknown as ModelInternals)._model.getTokenString(token);

/** A token that was drawn, and what the model itself thought of it and of the likeliest ones. */
export interface Drawn {
  readonly token: Token;
  /** Natural logarithms, before temperature, top-p and grammar; best first. */
  readonly top?: readonly (readonly [token: Token, logprob: number])[];
  readonly logprob?: number;
}

export interface DrawingOptions {
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
}

/**
 * Draws the tokens of one answer. Its random numbers are its own. The temperature scales before
 * top-p cuts, as in the API of OpenAI; a sampler of node-llama-cpp would do it the other way round.
 */
export class TokenDraw {
  private readonly drawing: NativeSampler;
  /** Gives the logits behind the temperature; undefined where the order makes no difference. */
  private readonly scaled: NativeSampler | undefined;
  /** Takes the likeliest token, and by that gives the logits as they are. */
  private readonly rating: NativeSampler | undefined;
  private readonly options: DrawingOptions;
  private readonly topLogprobs: number | undefined;
  private grammar: LlamaGrammarEvaluationState | undefined;

  /** @param topLogprobs rates each token, with this many of the likeliest ones */
  constructor(model: LlamaModel, options: DrawingOptions, topLogprobs: number | undefined) {
    const { _llama, _model } = model as unknown as ModelInternals;
    const samplerOf = () => new _llama._bindings.AddonSampler(_model);
    const { temperature, topP } = options;
    this.options = options;
    this.topLogprobs = topLogprobs;
    this.drawing = samplerOf();
    this.scaled = topP < 1 && temperature !== 0 && temperature !== 1 ? samplerOf() : undefined;
    this.follow(undefined);
    if (topLogprobs === undefined) return;
    this.rating = samplerOf();
    this.rating.applyConfig({ temperature: 0 });
  }

  /** The grammar, or none, from the next token on. */
  follow(grammar: LlamaGrammarEvaluationState | undefined): void {
    this.grammar = grammar;
    this.drawing.applyConfig({ ...this.options, minP: 0, topK: 0, ...stateOf(grammar) });
  }

  /**
   * Reads the tokens into the sequence and draws the one that follows.
   * @throws Error when none can follow
   */
  async next(sequence: LlamaContextSequence, tokens: readonly Token[]): Promise<Drawn> {
    const last = tokens.length - 1;
    const wanted = tokens.map((_, index) => (index === last ? true : undefined));
    const internals = sequence as unknown as SequenceInternals;
    const shift = { size: 1, strategy: 'eraseBeginning' } as const;
    const { _ctx } = sequence.context as unknown as ContextInternals;
    const drawn = await internals._decodeTokens(
      tokens,
      wanted,
      EVALUATION_PRIORITY,
      sequence.tokenMeter,
      shift,
      async (row) => {
        const token = await this.tokenAt(_ctx, row);
        if (token === -1) return null;
        return this.rating === undefined
          ? { token }
          : this.rate(await logitsAt(_ctx, row, this.rating, [token], this.topLogprobs), token);
      },
    );
    const result = drawn[last];
    if (!result) throw new Error('no token can follow');
    return result;
  }

  private async tokenAt(context: ContextInternals['_ctx'], row: number): Promise<Token | -1> {
    if (this.scaled === undefined) return context.sampleToken(row, this.drawing);
    const topK = await this.nucleusSize(context, row, this.scaled);
    const { temperature, seed } = this.options;
    const config = { temperature, seed, topP: 1, minP: 0, topK };
    this.drawing.applyConfig({ ...config, ...stateOf(this.grammar) });
    // With logits that are asked for, the grammar rules out tokens before the others are cut.
    const [token] = await context.sampleToken(row, this.drawing, false, false, NO_LOGITS, true);
    return token;
  }

  /** How many tokens, the likeliest first, have the share `topP` behind temperature and grammar. */
  private async nucleusSize(
    context: ContextInternals['_ctx'],
    row: number,
    sampler: NativeSampler,
  ): Promise<number> {
    const { temperature, topP, seed } = this.options;
    for (let top = NUCLEUS_FIRST; ; top *= NUCLEUS_STEP) {
      // A sampler moves its grammar on: this one gets a copy.
      const state = stateOf(this.grammar?.clone());
      sampler.applyConfig({ temperature, seed, topP: 1, minP: 0, topK: 0, ...state });
      const [, , , pairs, totalWeight] = await logitsAt(context, row, sampler, [], top);
      const size = nucleusOf(pairs, topP * totalWeight);
      const known = pairs.length / 2;
      if (size <= known || known < top) return Math.min(size, known);
    }
  }

  dispose(): void {
    this.drawing.dispose();
    this.scaled?.dispose();
    this.rating?.dispose();
  }

  /** The list is of pairs: the likeliest tokens, best first, then the one that was drawn. */
  private rate([, , , pairs, totalWeight]: SampledLogits, token: Token): Drawn {
    const rated: [Token, number][] = [];
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      rated.push([pairs[at] as Token, pairs[at + 1] as number]);
    }
    // The weights are relative to the likeliest token.
    const normalizer = (rated[0]?.[1] ?? 0) + Math.log(totalWeight);
    const all = rated.map(
      ([id, logit]) => [id, Math.max(logit - normalizer, LOGPROB_MIN)] as const,
    );
    const logprob = all.find(([id]) => id === token)?.[1] ?? LOGPROB_MIN;
    return { token, logprob, top: all.slice(0, this.topLogprobs) };
  }
}

const stateOf = (grammar: LlamaGrammarEvaluationState | undefined): object =>
  grammar === undefined
    ? {}
    : { grammarEvaluationState: (grammar as unknown as { readonly _state: unknown })._state };

/** The likeliest tokens, best first, and the named ones. */
const logitsAt = (
  context: ContextInternals['_ctx'],
  row: number,
  sampler: NativeSampler,
  named: readonly Token[],
  top = 0,
): Promise<SampledLogits> => {
  const wanted = [named, false, false, false, Math.max(1, top)] as const;
  return context.sampleToken(row, sampler, false, false, wanted, true);
};

/** How many of the first tokens reach a weight; more than there are where all do not. */
const nucleusOf = (pairs: readonly number[], weight: number): number => {
  const highest = pairs[1] ?? 0;
  let sum = 0;
  for (let at = 1; at < pairs.length; at += 2) {
    sum += Math.exp((pairs[at] ?? -Infinity) - highest);
    if (sum >= weight) return (at + 1) / 2;
  }
  return Infinity;
};

const NO_LOGITS: LogitsWanted = [[], false, false, false, 0];

/** The tokens that are asked for at first; the number is multiplied while they are too few. */
const NUCLEUS_FIRST = 64;
const NUCLEUS_STEP = 8;

/** The value that the OpenAI API writes for a token that is very unlikely; JSON has no infinity. */
export const LOGPROB_MIN = -9999;

/** That of node-llama-cpp for an evaluation without one. */
const EVALUATION_PRIORITY = 5;
