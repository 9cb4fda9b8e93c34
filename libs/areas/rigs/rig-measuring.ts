import { type Clock } from '#platform/kernel/clock.js';
import {
  type MeasuredModel,
  type MeasuredRigs,
  type MeasuredUsage,
  RigProblem,
} from './measured-rigs.port.js';

/** Answers whose median is the latency of the first token. */
export const FIRST_TOKEN_SAMPLES = 5;
/** Tokens of an answer whose speed is measured, unless the model allows fewer. */
export const SPEED_TOKENS = 64;
/** Streams at once, unless the rig allows fewer. */
export const CONCURRENT_STREAMS = 8;

const FIRST_TOKEN_TOKENS = 8;
const QUESTION = 'Count from one to twenty, in words.';

interface Answer {
  readonly text: string;
  readonly sentMs: number;
  /** Null for an answer without text. */
  readonly firstMs: number | null;
  readonly endMs: number;
  readonly usage: MeasuredUsage;
}

/** Measures one model of one rig. */
export class RigMeasuring {
  #asked = 0;

  constructor(
    private readonly rigs: Pick<MeasuredRigs, 'stream'>,
    private readonly rig: string,
    private readonly model: MeasuredModel,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Asks the same question twice. A small model may know nothing, so the known answer is the first
   * answer of the rig itself.
   * @throws RigProblem
   */
  async isAnswerConsistent(): Promise<boolean> {
    const first = await this.#ask(SPEED_TOKENS, QUESTION);
    const second = await this.#ask(SPEED_TOKENS, QUESTION);
    const { usage } = first;
    return (
      first.text !== '' &&
      first.text === second.text &&
      usage.isStated &&
      second.usage.isStated &&
      usage.promptTokens === second.usage.promptTokens &&
      usage.completionTokens === second.usage.completionTokens &&
      usage.promptTokens > 0 &&
      usage.completionTokens > 0 &&
      usage.completionTokens <= this.#bounded(SPEED_TOKENS)
    );
  }

  /**
   * The median of several answers, in milliseconds.
   * @throws RigProblem
   */
  async firstTokenMs(): Promise<number> {
    const samples: number[] = [];
    while (samples.length < FIRST_TOKEN_SAMPLES) {
      const { sentMs, firstMs } = await this.#askOther(FIRST_TOKEN_TOKENS);
      if (firstMs === null) throw new RigProblem('an answer has no text');
      samples.push(firstMs - sentMs);
    }
    return rounded(median(samples));
  }

  /**
   * The output tokens of `streams` streams at once, a second.
   * @throws RigProblem
   */
  async tokensPerSecond(streams: number): Promise<number> {
    const asking = Array.from({ length: streams }, () => this.#askOther(SPEED_TOKENS));
    // All streams have ended before the next quantity is measured.
    await Promise.allSettled(asking);
    return speedOf(await Promise.all(asking));
  }

  #bounded(tokens: number): number {
    return Math.min(tokens, this.model.outputTokensMax);
  }

  /** A question of its own, so that no cache of the rig has its beginning. */
  #askOther(tokens: number): Promise<Answer> {
    this.#asked += 1;
    return this.#ask(tokens, `${this.#asked}. ${QUESTION}`);
  }

  async #ask(tokens: number, question: string): Promise<Answer> {
    let sentMs = this.clock.now();
    let firstMs: number | null = null;
    let text = '';
    const chat = {
      rig: this.rig,
      model: this.model.id,
      question,
      outputTokens: this.#bounded(tokens),
      onSent: () => (sentMs = this.clock.now()),
    };
    const pieces = this.rigs.stream(chat, this.signal);
    for (;;) {
      const piece = await pieces.next();
      if (piece.done) {
        this.signal.throwIfAborted();
        return { text, sentMs, firstMs, endMs: this.clock.now(), usage: piece.value };
      }
      if (piece.value !== '') firstMs ??= this.clock.now();
      text += piece.value;
    }
  }
}

/** @throws RigProblem when it cannot be known */
const speedOf = (answers: readonly Answer[]): number => {
  if (!answers.every(({ usage }) => usage.isStated)) {
    throw new RigProblem('the rig does not state its usage');
  }
  const fromMs = Math.min(...answers.map(({ sentMs }) => sentMs));
  const untilMs = Math.max(...answers.map(({ endMs }) => endMs));
  const tokens = answers.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
  if (tokens === 0) throw new RigProblem('the answers have no token');
  if (untilMs <= fromMs) throw new RigProblem('the answers took no measurable time');
  return rounded((tokens * 1_000) / (untilMs - fromMs));
};

/** Of an odd number of values. */
const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

const rounded = (value: number): number => Math.round(value * 100) / 100;
