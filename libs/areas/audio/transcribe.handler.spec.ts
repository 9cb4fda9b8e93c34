import { describe, expect, it } from '@jest/globals';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { wavOf } from '#engines/speech-recognition/audio/wav.fixture.js';
import { AudioRunError } from './audio.errors.js';
import {
  handlerOn,
  heardWord,
  openAudio,
  orderOf,
  SETTINGS,
  WEIGHTS,
  windowOf,
} from './audio-world.fixture.js';

const never = new AbortController().signal;

function* twoWords() {
  yield windowOf([heardWord('one', 0.2), heardWord(null, 0.7)], 16_000);
  yield windowOf([heardWord('two', 1.4, 0.8)], 32_000);
}

paidWorkContract('audio', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const script = function* () {
      work();
      yield* twoWords();
    };
    const handler = handlerOn(paid, script, [], clock);
    return Promise.resolve((order, signal) => handler.execute({ ...orderOf(), ...order }, signal));
  },
});

describe('a transcription', () => {
  it('is held and charged by the milliseconds of its recording', async () => {
    const { handler, ledger } = openAudio(twoWords);
    const pieces: string[] = [];
    const { transcript } = await handler.execute(orderOf(), never, (text) => {
      pieces.push(text);
      return Promise.resolve();
    });
    expect(ledger.calls).toEqual(['place', 'capture completed']);
    const line = { meter: 'audio_ms', quantity: 2_000, unitPriceMicroUsd: '2' };
    expect(ledger.placed).toMatchObject({ purpose: 'transcription', lines: [line] });
    expect(ledger.captured).toMatchObject({
      lines: [line],
      model: 'quipu-words',
      evidence: { audioMs: 2_000, engine: 'embedded', task: 'transcribe', weightsSha256: WEIGHTS },
    });
    expect(transcript).toMatchObject({
      text: 'one two',
      seconds: 2,
      confidence: 0.8,
      isUnsure: true,
      model: 'quipu-words',
      unrecognized: [{ start: 0.7, end: 1 }],
    });
    expect(pieces.join('')).toBe(transcript.text);
  });

  it('without a word is an empty text, and is sure', async () => {
    const silence = function* () {
      yield windowOf([], 32_000);
    };
    const { transcript } = await openAudio(silence).handler.execute(orderOf(), never);
    expect(transcript).toMatchObject({ text: '', words: [], confidence: null, isUnsure: false });
  });

  it('is charged for the part that was heard when its caller leaves', async () => {
    const leaving = new AbortController();
    const script = function* () {
      yield windowOf([heardWord('one', 0.2)], 16_000);
      leaving.abort(new RequestCutError('client_gone'));
      leaving.signal.throwIfAborted();
    };
    const { handler, ledger } = openAudio(script);
    await expect(handler.execute(orderOf(), leaving.signal)).rejects.toThrow('the caller left');
    expect(ledger.calls).toEqual(['place', 'capture client_gone']);
    const lines = [{ meter: 'audio_ms', quantity: 1_000 }];
    expect(ledger.captured).toMatchObject({ lines, evidence: { textHash: null } });
  });

  it('that fails is free', async () => {
    const script = function* () {
      yield windowOf([], 16_000);
      throw new AudioRunError('away', 'no process can run it');
    };
    const { handler, ledger } = openAudio(script);
    await expect(handler.execute(orderOf(), never)).rejects.toThrow('no process');
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('of over a minute is rejected before its hold', async () => {
    const { handler, ledger } = openAudio(twoWords);
    const file = wavOf({ samples: new Float32Array(8_000 * 61), sampleRate: 8_000, coding: 'u8' });
    const order = { ...orderOf(), sound: { file, filename: 'long.wav' } };
    await expect(handler.execute(order, never)).rejects.toThrow('expected at most 60 seconds');
    expect(ledger.calls).toEqual([]);
  });

  it.each([
    [{ model: 'whisper-large-v3' }, 'the embedded model is quipu-words'],
    [{ language: 'de' }, 'language: the model quipu-words hears English only'],
    [{ prompt: 'knots' }, 'prompt: the model quipu-words has no prompt'],
    [{ temperature: '0.5' }, 'temperature: the model quipu-words does not draw'],
  ])('by the embedded model is rejected with %j', async (fields, message) => {
    const { handler, ledger } = openAudio(twoWords);
    await expect(handler.execute(orderOf(fields), never)).rejects.toThrow(message);
    expect(ledger.calls).toEqual([]);
  });

  it('takes OpenAI’s default model for the embedded one, and a translation for none', async () => {
    const { handler } = openAudio(twoWords);
    const { transcript } = await handler.execute(orderOf({ model: 'whisper-1' }), never);
    expect(transcript.model).toBe('quipu-words');
    const translation = orderOf({ model: 'whisper-1' }, 'translate');
    await expect(handler.execute(translation, never)).rejects.toThrow('does not translate');
  });
});
