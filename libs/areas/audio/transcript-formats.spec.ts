import { describe, expect, it } from '@jest/globals';
import { transcriptOf } from './heard-transcript.js';
import { type ResponseFormat, writtenTranscript } from './transcript-formats.js';
import { heardWord, windowOf } from './audio-world.fixture.js';

const transcript = transcriptOf(
  [windowOf([heardWord('one', 0.2), heardWord('two', 0.6), heardWord('stop', 3_661.5)], 0)],
  3_662,
  'quipu-words',
);

const written = (format: ResponseFormat) =>
  writtenTranscript(transcript, { format, task: 'transcribe', granularities: ['word', 'segment'] });

describe('the formats of a transcript', () => {
  it('are captions of words between pauses', () => {
    expect(written('srt').body).toBe(
      '1\n00:00:00,200 --> 00:00:00,900\none two\n\n' +
        '2\n01:01:01,500 --> 01:01:01,800\nstop\n\n',
    );
    expect(written('vtt')).toEqual({
      contentType: 'text/vtt; charset=utf-8',
      body:
        'WEBVTT\n\n00:00:00.200 --> 00:00:00.900\none two\n\n' +
        '01:01:01.500 --> 01:01:01.800\nstop\n\n',
    });
  });

  it('are texts', () => {
    expect(written('text').body).toBe('one two stop\n');
    expect(JSON.parse(written('json').body)).toEqual({
      text: 'one two stop',
      usage: { type: 'duration', seconds: 3_662 },
      model: 'quipu-words',
      engine: 'embedded',
      confidence: 0.99,
      low_confidence: false,
      unrecognized: [],
    });
  });

  it('are words and segments with their times', () => {
    expect(JSON.parse(written('verbose_json').body)).toMatchObject({
      task: 'transcribe',
      language: 'english',
      duration: 3_662,
      words: [{ word: 'one', start: 0.2, end: 0.5 }, { word: 'two' }, { word: 'stop' }],
      segments: [
        { id: 0, text: 'one two', start: 0.2, no_speech_prob: 0.01 },
        { id: 1, text: 'stop', avg_logprob: Math.log(0.99) },
      ],
    });
  });

  it('keep a caption of an upstream from ending early', () => {
    const segments = [
      {
        text: ' a\n\nb --> c',
        start: 0,
        end: 1,
        averageLogProbability: null,
        noSpeechProbability: null,
      },
    ];
    const order = { format: 'vtt', task: 'transcribe', granularities: [] } as const;
    const { body } = writtenTranscript({ ...transcript, segments }, order);
    expect(body).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na b -> c\n\n');
  });
});
