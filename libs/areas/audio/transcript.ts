/** A word with its place in the recording, in seconds. */
export interface TimedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Null where an upstream states none. */
  readonly confidence: number | null;
}

/** Neighbouring words. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The mean of the logarithms of the probabilities; null where it is not stated. */
  readonly averageLogProbability: number | null;
  readonly noSpeechProbability: number | null;
}

/** The content of a recording. */
export interface Transcript {
  readonly text: string;
  /** As OpenAI names languages; null where it is not stated. */
  readonly language: string | null;
  readonly seconds: number;
  /** Null where the upstream states no times. */
  readonly words: readonly TimedWord[] | null;
  readonly segments: readonly Segment[] | null;
  /** Speech that the embedded model heard and has no word for. */
  readonly unrecognized: readonly { readonly start: number; readonly end: number }[];
  /** Of the least sure word; null without a word, and for an upstream. */
  readonly confidence: number | null;
  /** A word is not sure, or speech was not recognized. */
  readonly isUnsure: boolean;
  readonly model: string;
  readonly engine: string;
}

/** Below this, a word of the embedded model is said to be unsure. */
export const CONFIDENT = 0.98;
/** Silence between two words that parts their segments, in seconds. */
const PAUSE_SECONDS = 0.8;

/** Words in segments between which the speaker pauses. */
export const segmentsOf = (
  words: readonly TimedWord[],
  noSpeechProbability: number,
): readonly Segment[] => {
  const groups: TimedWord[][] = [];
  for (const word of words) {
    const last = groups.at(-1)?.at(-1);
    if (last && word.start - last.end <= PAUSE_SECONDS) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => {
    const logs = group.map(({ confidence }) => Math.log(Math.max(confidence ?? 1, 1e-9)));
    return {
      text: textOf(group),
      start: group[0]?.start ?? 0,
      end: group.at(-1)?.end ?? 0,
      averageLogProbability: logs.reduce((sum, log) => sum + log, 0) / logs.length,
      noSpeechProbability,
    };
  });
};

export const textOf = (words: readonly Pick<TimedWord, 'word'>[]): string =>
  words.map(({ word }) => word).join(' ');
