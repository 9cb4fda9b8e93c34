import { type Segment, type Transcript } from './transcript.js';

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

export const GRANULARITIES = ['word', 'segment'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** A transcript as it is sent. */
export interface WrittenTranscript {
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const VTT_TYPE = 'text/vtt; charset=utf-8';

const [MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND] = [3_600_000, 60_000, 1_000];

/** @param mark between seconds and milliseconds */
const clockOf = (seconds: number, mark: string): string => {
  const ms = Math.round(seconds * MS_PER_SECOND);
  const part = (value: number, width = 2): string => String(value).padStart(width, '0');
  const hours = part(Math.floor(ms / MS_PER_HOUR));
  const minutes = part(Math.floor((ms % MS_PER_HOUR) / MS_PER_MINUTE));
  const rest = part(Math.floor((ms % MS_PER_MINUTE) / MS_PER_SECOND));
  return `${hours}:${minutes}:${rest}${mark}${part(ms % MS_PER_SECOND, 3)}`;
};

/** A text has no line that would end its caption or begin the next. */
const captionOf = ({ text }: Segment): string => {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .join(' ')
    .replaceAll('-->', '->');
};

const srtOf = (segments: readonly Segment[]): string =>
  segments
    .map((segment, at) => {
      const times = `${clockOf(segment.start, ',')} --> ${clockOf(segment.end, ',')}`;
      return `${at + 1}\n${times}\n${captionOf(segment)}\n\n`;
    })
    .join('');

const vttOf = (segments: readonly Segment[]): string => {
  const captions = segments.map((segment) => {
    const times = `${clockOf(segment.start, '.')} --> ${clockOf(segment.end, '.')}`;
    return `${times}\n${captionOf(segment)}\n\n`;
  });
  return `WEBVTT\n\n${captions.join('')}`;
};

/** OpenAI's `usage` of a transcription that is charged by its length. */
export const usageOf = ({ seconds }: Transcript) => ({ type: 'duration', seconds });

/** Facts beside OpenAI's fields. */
const factsOf = ({ model, engine, confidence, isUnsure, unrecognized }: Transcript) => ({
  model,
  engine,
  confidence,
  low_confidence: isUnsure,
  unrecognized,
});

const segmentFact = (segment: Segment, id: number) => ({
  id,
  seek: Math.round(segment.start * 100),
  start: segment.start,
  end: segment.end,
  text: segment.text,
  tokens: [],
  temperature: 0,
  avg_logprob: segment.averageLogProbability,
  compression_ratio: null,
  no_speech_prob: segment.noSpeechProbability,
});

const verboseOf = (
  transcript: Transcript,
  task: string,
  granularities: readonly Granularity[],
): object => {
  const { language, seconds, text, words, segments } = transcript;
  return {
    task,
    language: language ?? 'unknown',
    duration: seconds,
    text,
    ...(granularities.includes('word') && { words }),
    ...(granularities.includes('segment') && { segments: segments?.map(segmentFact) }),
    usage: usageOf(transcript),
    ...factsOf(transcript),
  };
};

export interface WritingOrder {
  readonly format: ResponseFormat;
  readonly task: 'transcribe' | 'translate';
  readonly granularities: readonly Granularity[];
}

/** The transcript in the format that was asked for. */
export const writtenTranscript = (
  transcript: Transcript,
  { format, task, granularities }: WritingOrder,
): WrittenTranscript => {
  const { text, segments } = transcript;
  switch (format) {
    case 'json': {
      const answer = { text, usage: usageOf(transcript), ...factsOf(transcript) };
      return { contentType: JSON_TYPE, body: JSON.stringify(answer) };
    }
    case 'verbose_json': {
      const body = JSON.stringify(verboseOf(transcript, task, granularities));
      return { contentType: JSON_TYPE, body };
    }
    case 'text':
      return { contentType: TEXT_TYPE, body: `${text}\n` };
    case 'srt':
      return { contentType: TEXT_TYPE, body: srtOf(segments ?? []) };
    case 'vtt':
      return { contentType: VTT_TYPE, body: vttOf(segments ?? []) };
  }
};
