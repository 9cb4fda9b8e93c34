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
    ): Promise<readonly [Token, undefined, undefined, readonly number[], number]>;
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

/** Draws the tokens of one answer. Its random numbers are its own. */
export class TokenDraw {
  private readonly drawing: NativeSampler;
  /** Takes the likeliest token, and by that gives the logits as they are. */
  private readonly rating: NativeSampler | undefined;
  private readonly options: DrawingOptions;
  private readonly topLogprobs: number | undefined;

  /** @param topLogprobs rates each token, with this many of the likeliest ones */
  constructor(model: LlamaModel, options: DrawingOptions, topLogprobs: number | undefined) {
    const { _llama, _model } = model as unknown as ModelInternals;
    this.options = options;
    this.topLogprobs = topLogprobs;
    this.drawing = new _llama._bindings.AddonSampler(_model);
    if (topLogprobs === undefined) return;
    this.rating = new _llama._bindings.AddonSampler(_model);
    this.rating.applyConfig({ temperature: 0 });
  }

  /** The grammar, or none, from the next token on. */
  follow(grammar: LlamaGrammarEvaluationState | undefined): void {
    const state = grammar && {
      grammarEvaluationState: (grammar as unknown as { readonly _state: unknown })._state,
    };
    this.drawing.applyConfig({ ...this.options, minP: 0, topK: 0, ...state });
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
        const token = await _ctx.sampleToken(row, this.drawing);
        if (token === -1) return null;
        return this.rating === undefined
          ? { token }
          : this.rate(await this.logitsAt(_ctx, row, this.rating, token), token);
      },
    );
    const result = drawn[last];
    if (!result) throw new Error('no token can follow');
    return result;
  }

  dispose(): void {
    this.drawing.dispose();
    this.rating?.dispose();
  }

  private logitsAt(
    context: ContextInternals['_ctx'],
    row: number,
    sampler: NativeSampler,
    token: Token,
  ) {
    const top = Math.max(1, this.topLogprobs ?? 0);
    return context.sampleToken(
      row,
      sampler,
      false,
      false,
      [[token], false, false, false, top],
      true,
    );
  }

  /** The list is of pairs: the likeliest tokens, best first, then the one that was drawn. */
  private rate(
    [, , , pairs, totalWeight]: readonly [Token, undefined, undefined, readonly number[], number],
    token: Token,
  ): Drawn {
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

/** What the OpenAI API writes for a token that is very unlikely; JSON has no infinity. */
export const LOGPROB_MIN = -9999;

/** That of node-llama-cpp for an evaluation without one. */
const EVALUATION_PRIORITY = 5;
