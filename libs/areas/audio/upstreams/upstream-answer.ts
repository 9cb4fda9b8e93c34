import { z } from 'zod';
import { type Segment, type TimedWord, type Transcript } from '../transcript.js';

const Seconds = z.number().nonnegative();

const Word = z.looseObject({
  word: z.string(),
  start: Seconds,
  end: Seconds,
  probability: z.number().min(0).max(1).optional(),
});

const Answer = z.looseObject({
  text: z.string(),
  language: z.string().optional(),
  duration: z.coerce.number().nonnegative().optional(),
  words: z.array(Word).nullish(),
  segments: z
    .array(
      z.looseObject({
        text: z.string(),
        start: Seconds,
        end: Seconds,
        avg_logprob: z.number().nullish(),
        no_speech_prob: z.number().nullish(),
        words: z.array(Word).nullish(),
      }),
    )
    .nullish(),
});

const timedWord = ({ word, start, end, probability }: z.infer<typeof Word>): TimedWord => ({
  word: word.trim(),
  start,
  end,
  confidence: probability ?? null,
});

type AnsweredSegment = NonNullable<z.infer<typeof Answer>['segments']>[number];

const segment = ({ text, start, end, avg_logprob, no_speech_prob }: AnsweredSegment): Segment => ({
  text,
  start,
  end,
  averageLogProbability: avg_logprob ?? null,
  noSpeechProbability: no_speech_prob ?? null,
});

/**
 * The transcript in an answer of a server: OpenAI's `json` and `verbose_json`, in which whisper.cpp
 * has the words within the segments. Null for JSON that is none.
 */
export const transcriptIn = (
  answer: unknown,
  known: Pick<Transcript, 'seconds' | 'model' | 'engine'>,
): Transcript | null => {
  const read = Answer.safeParse(answer);
  if (!read.success) return null;
  const { text, language, words, segments } = read.data;
  const within = segments?.flatMap((one) => one.words ?? []) ?? [];
  const timed = words ?? (within.length > 0 ? within : null);
  return {
    ...known,
    // whisper.cpp begins its text with a space and ends it with a line break.
    text: text.trim(),
    language: language ?? null,
    words: timed?.map(timedWord) ?? null,
    segments: segments?.map(segment) ?? null,
    unrecognized: [],
    confidence: null,
    isUnsure: false,
  };
};
