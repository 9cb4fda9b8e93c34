import { describe, expect, it } from '@jest/globals';
import { readTranscriptionForm } from './transcription-form.js';

describe('the fields of a transcription', () => {
  it('have the defaults of OpenAI', () => {
    expect(readTranscriptionForm([], 'transcribe')).toEqual({
      task: 'transcribe',
      format: 'json',
      isStream: false,
      model: null,
      language: null,
      prompt: null,
      temperature: null,
      granularities: ['segment'],
    });
  });

  it('are read', () => {
    const fields = [
      ['model', 'whisper-1'],
      ['language', 'en'],
      ['temperature', '0.2'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ] as const;
    expect(readTranscriptionForm(fields, 'transcribe')).toMatchObject({
      model: 'whisper-1',
      language: 'en',
      temperature: 0.2,
      format: 'verbose_json',
      granularities: ['word', 'segment'],
    });
  });

  it.each([
    ['response_format', 'yaml', 'response_format: expected json, text'],
    ['stream', 'yes', 'stream: expected true, false, received yes'],
    ['temperature', '2', 'temperature: expected a number from 0 to 1, received 2'],
    ['language', 'English', 'language: expected a code of ISO 639-1'],
    ['timestamp_granularities[]', 'letter', 'timestamp_granularities[]: expected word, segment'],
    ['timestamp_granularities[]', 'word', 'expected the response_format verbose_json'],
    ['chunking_strategy', '{}', 'chunking_strategy: expected auto'],
    ['include[]', 'logprobs', 'include[]: this field is not supported'],
    ['best_of', '5', 'best_of: this field is not supported'],
  ])('are rejected with %s %s', (name, value, message) => {
    expect(() => readTranscriptionForm([[name, value]], 'transcribe')).toThrow(message);
  });

  it('are rejected with a field twice, and with a stream of captions', () => {
    const twice = [
      ['model', 'a'],
      ['model', 'b'],
    ] as const;
    expect(() => readTranscriptionForm(twice, 'transcribe')).toThrow('model: expected one value');
    const stream = [
      ['stream', 'true'],
      ['response_format', 'srt'],
    ] as const;
    expect(() => readTranscriptionForm(stream, 'transcribe')).toThrow('stream: expected false');
  });
});
