/** A sequence of llama.cpp as a model of a pair. The child process loads it. */
import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { TokenModel } from './pair-decoder.js';
import { type Distribution, nucleusOf } from '#engines/speculative/rejection-sampling.js';

export interface Sampling {
  readonly temperature: number;
  readonly topP: number;
}

type IndexOutput = Awaited<ReturnType<LlamaContextSequence['controlledEvaluate']>>[number];

export class CachedSequence implements TokenModel {
  private readonly sequence: LlamaContextSequence;
  private readonly sampling: Sampling;
  private readonly evaluatedBefore: number;

  constructor(sequence: LlamaContextSequence, sampling: Sampling) {
    this.sequence = sequence;
    this.sampling = sampling;
    this.evaluatedBefore = evaluatedBy(sequence);
  }

  get length(): number {
    return this.sequence.nextTokenIndex;
  }

  /** Tokens that llama.cpp has evaluated for this object. */
  get evaluatedTokens(): number {
    return evaluatedBy(this.sequence) - this.evaluatedBefore;
  }

  /**
   * The distributions from which plain decoding would sample: llama.cpp scales by the temperature,
   * and top-p cuts behind it.
   */
  async evaluate(tokens: readonly number[], count: number): Promise<readonly Distribution[]> {
    const { temperature, topP } = this.sampling;
    const options = { temperature, topP: 1, topK: 0, minP: 0 };
    // Without a temperature only the likeliest token counts: the rest need not be sorted.
    const generateNext =
      temperature === 0 ? { token: true, options } : { probabilities: true, options };
    const silent = tokens.length - count;
    const input = tokens.map((token, index): ControlledEvaluateInputItem =>
      index < silent ? (token as Token) : [token as Token, { generateNext }],
    );
    const outputs = await this.sequence.controlledEvaluate(input);
    return outputs.slice(silent).map((output) => nucleusOf(distributionOf(output), topP));
  }

  async truncate(length: number): Promise<void> {
    const end = this.sequence.nextTokenIndex;
    if (length < end) await this.sequence.eraseContextTokenRanges([{ start: length, end }]);
  }
}

/** The meter counts a token as output where its distribution was asked for. */
const evaluatedBy = ({ tokenMeter }: LlamaContextSequence): number =>
  tokenMeter.usedInputTokens + tokenMeter.usedOutputTokens;

const distributionOf = (output: IndexOutput): Distribution => {
  const { probabilities, token } = output?.next ?? {};
  if (probabilities !== undefined) return probabilities;
  if (token == null) throw new Error('llama.cpp gave no next token');
  return new Map([[token, 1]]);
};
