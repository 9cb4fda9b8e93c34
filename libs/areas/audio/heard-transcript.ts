import { type HeardWindow } from './embedded-recognizer.js';
import { CONFIDENT, segmentsOf, textOf, type TimedWord, type Transcript } from './transcript.js';

/** The transcript of all windows of a recording. */
export const transcriptOf = (
  windows: readonly Pick<HeardWindow, 'heard' | 'noSpeechProbability'>[],
  seconds: number,
  model: string,
): Transcript => {
  const heard = windows.flatMap((window) => window.heard);
  const words: TimedWord[] = heard.flatMap(({ word, start, end, confidence }) =>
    word === null ? [] : [{ word, start, end, confidence }],
  );
  const unrecognized = heard.flatMap(({ word, start, end }) =>
    word === null ? [{ start, end }] : [],
  );
  const confidence =
    words.length === 0 ? null : Math.min(...words.map((word) => word.confidence ?? 1));
  const noSpeech = Math.min(1, ...windows.map((window) => window.noSpeechProbability));
  return {
    text: textOf(words),
    language: words.length === 0 ? null : 'english',
    seconds,
    words,
    segments: segmentsOf(words, noSpeech),
    unrecognized,
    confidence,
    isUnsure: unrecognized.length > 0 || (confidence !== null && confidence < CONFIDENT),
    model,
    engine: 'embedded',
  };
};
