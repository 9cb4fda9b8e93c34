import type { DeltaLetter, FinishReason, RatedToken } from './language-model.protocol.js';
import { stopStrings, type StopStrings } from './stop-strings.js';

/** A piece of one choice. */
export interface CompletionDelta {
  /** From 0. */
  readonly choice: number;
  /** Whole characters: of the answer, or of the JSON of a call's arguments. May be empty. */
  readonly text: string;
  /** The text is of a call of a tool, and its name comes with the first piece. */
  readonly call?: { readonly name?: string };
  /** The tokens of the text, where they were asked for. */
  readonly logprobs?: readonly RatedToken[];
  /** With the last piece of a choice. */
  readonly finishReason?: FinishReason;
}

interface HeldTokens {
  /** Characters of the choice up to the first of these tokens, and up to the last. */
  readonly from: number;
  readonly to: number;
  readonly tokens: readonly RatedToken[];
}

/** Cuts one choice at its stop strings, with the ratings of its tokens. */
export class ChoiceReader {
  completionTokens = 0;
  hasEnded = false;
  private readonly filter: StopStrings;
  private received = 0;
  private shown = 0;
  private held: HeldTokens[] = [];

  constructor(
    private readonly choice: number,
    stops: readonly string[],
  ) {
    this.filter = stopStrings(stops);
  }

  /** The text that may be shown by now. A stop string ends the choice. */
  push({ text, completionTokens, call, logprobs }: DeltaLetter): readonly CompletionDelta[] {
    this.completionTokens = completionTokens;
    if (call !== undefined) {
      // The held-back start of a possible stop string was content.
      return [...this.show(this.filter.flush()), { choice: this.choice, text, call }];
    }
    const from = this.received;
    this.received += text.length;
    if (logprobs) this.held.push({ from, to: this.received, tokens: logprobs });
    const { text: shown, stopped } = this.filter.push(text);
    if (!stopped) return this.show(shown);
    this.hasEnded = true;
    // Of tokens that the stop string begins in, the part before it is shown.
    const before = this.held.filter((one) => one.from < this.shown + shown.length);
    return [this.last(shown, before, 'stop')];
  }

  end(finishReason: FinishReason, completionTokens: number): CompletionDelta {
    this.completionTokens = completionTokens;
    this.hasEnded = true;
    return this.last(this.filter.flush(), this.held, finishReason);
  }

  private show(text: string): readonly CompletionDelta[] {
    this.shown += text.length;
    const tokens = this.held.filter(({ to }) => to <= this.shown);
    this.held = this.held.slice(tokens.length);
    if (text === '' && tokens.length === 0) return [];
    return [{ choice: this.choice, text, ...ratingsOf(tokens) }];
  }

  private last(
    text: string,
    tokens: readonly HeldTokens[],
    finishReason: FinishReason,
  ): CompletionDelta {
    return { choice: this.choice, text, ...ratingsOf(tokens), finishReason };
  }
}

const ratingsOf = (held: readonly HeldTokens[]): Pick<CompletionDelta, 'logprobs'> =>
  held.length === 0 ? {} : { logprobs: held.flatMap(({ tokens }) => tokens) };
