import { type TextEnd } from '../text/text-task.js';

interface RatedText {
  readonly token: string;
  /** Natural logarithm, before temperature, top-p and grammar. */
  readonly logprob: number;
  /** In UTF-8; null where the vocabulary has none for the token. */
  readonly bytes: readonly number[] | null;
}

/** A token of an answer, and the likeliest ones in its place. */
export interface TextToken extends RatedText {
  readonly top: readonly RatedText[];
}

/** A piece of one choice; it never splits a character. */
export interface TextDelta {
  /** From 0. */
  readonly choice: number;
  /** Of the answer, or of the JSON of a call's arguments. May be empty. */
  readonly text: string;
  /** The text is of a call of a tool, and its name comes with the first piece. */
  readonly call?: { readonly name?: string };
  /** The tokens of the text, where they were asked for. */
  readonly logprobs?: readonly TextToken[];
  /** With the last piece of a choice. */
  readonly finishReason?: TextEnd['finishReason'];
}
