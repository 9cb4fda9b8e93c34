import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openAudio, orderOf, SETTINGS, wav } from '../audio-world.fixture.js';
import { readAudioUpstreams } from './audio-upstreams.file.js';
import { AudioUpstreams } from './audio-upstreams.js';
import { type FakeAnswer, startAudioServer } from './audio-upstreams.fake.js';

const never = new AbortController().signal;

/** The form fields of OpenAI's and vLLM's transcriptions. */
const OPENAI_FIELDS = [
  'file',
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'timestamp_granularities[]',
];
/** The form fields of the server of whisper.cpp that concern one request. */
const WHISPER_CPP_FIELDS = [
  'file',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'translate',
];

const VERBOSE = {
  task: 'transcribe',
  language: 'english',
  duration: 2,
  text: 'Three knots.',
  words: [
    { word: 'Three', start: 0, end: 0.4 },
    { word: 'knots', start: 0.4, end: 1 },
  ],
  segments: [
    { id: 0, text: 'Three knots.', start: 0, end: 1, avg_logprob: -0.2, no_speech_prob: 0.01 },
  ],
};

/** As whisper.cpp writes `verbose_json`: a text with a line break, words within segments. */
const WHISPER_CPP = {
  task: 'transcribe',
  language: 'english',
  duration: 2.0,
  text: ' Three knots.\n',
  segments: [
    {
      id: 0,
      text: ' Three knots.',
      start: 0,
      end: 1,
      tokens: [7],
      words: [{ word: ' Three', start: 0, end: 0.4, t_dtw: -1, probability: 0.97 }],
      temperature: 0,
      avg_logprob: -0.2,
    },
  ],
};

const script = function* () {
  yield* [];
  throw new Error('the embedded model is not asked');
};

describe('upstreams of audio', () => {
  let home: string;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-audio-'));
    process.env['QUIPU_SPEC_AUDIO_KEY'] = 'of the spec';
  });

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  afterAll(async () => {
    delete process.env['QUIPU_SPEC_AUDIO_KEY'];
    await rm(home, { recursive: true });
  });

  const fileOf = async (...servers: readonly object[]): Promise<string> => {
    const file = path.join(home, 'upstreams.json');
    await writeFile(file, JSON.stringify({ servers }));
    return file;
  };

  const open = async (
    server: 'openai' | 'vllm' | 'whisper.cpp',
    body: FakeAnswer['body'],
    { status = 200, timestamps = true } = {},
  ) => {
    const fields = server === 'whisper.cpp' ? WHISPER_CPP_FIELDS : OPENAI_FIELDS;
    const fake = await startAudioServer(fields, () => ({ status, body }));
    closing.push(fake.close);
    const file = await fileOf({
      name: 'theirs',
      server,
      base_url: server === 'whisper.cpp' ? fake.url : `${fake.url}/v1`,
      api_key_env: 'QUIPU_SPEC_AUDIO_KEY',
      transcription_models: [{ id: 'whisper-1', upstream_id: 'whisper-x', timestamps }],
    });
    return { fake, ...openAudio(script, await readAudioUpstreams(file)) };
  };

  it('transcribe as OpenAI documents it', async () => {
    const { fake, handler, ledger } = await open('openai', VERBOSE);
    const order = orderOf({
      model: 'whisper-1',
      language: 'en',
      prompt: 'knots',
      temperature: '0.2',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'word',
    });
    const { transcript } = await handler.execute(order, never);
    expect(fake.received).toMatchObject([
      { path: '/v1/audio/transcriptions', authorization: 'Bearer of the spec', file: wav },
    ]);
    expect(fake.received[0]?.fields).toEqual([
      ['file', 'a file'],
      ['response_format', 'verbose_json'],
      ['model', 'whisper-x'],
      ['language', 'en'],
      ['prompt', 'knots'],
      ['temperature', '0.2'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ]);
    expect(transcript).toMatchObject({
      text: 'Three knots.',
      engine: 'upstream:theirs',
      model: 'whisper-1',
      seconds: 2,
      words: [{ word: 'Three', end: 0.4, confidence: null }, { word: 'knots' }],
      segments: [{ text: 'Three knots.', noSpeechProbability: 0.01 }],
    });
    expect(ledger.captured).toMatchObject({
      lines: [{ meter: 'upstream_audio_ms', quantity: 2_000 }],
      evidence: {
        engine: 'upstream:theirs',
        model: { asked: 'whisper-1', answered: 'whisper-x' },
        weightsSha256: null,
      },
    });
  });

  it('transcribe and translate by whisper.cpp', async () => {
    const { fake, handler } = await open('whisper.cpp', WHISPER_CPP);
    const { transcript } = await handler.execute(
      orderOf({ model: 'whisper-1' }, 'translate'),
      never,
    );
    expect(fake.received[0]).toMatchObject({ path: '/inference' });
    expect(fake.received[0]?.fields).toContainEqual(['translate', 'true']);
    expect(transcript.text).toBe('Three knots.');
    expect(transcript.words).toEqual([{ word: 'Three', start: 0, end: 0.4, confidence: 0.97 }]);
  });

  it('are asked for json where they state no times', async () => {
    const answer = { text: 'Three knots.', usage: { type: 'duration', seconds: 2 } };
    const { fake, handler } = await open('vllm', answer, { timestamps: false });
    const { transcript } = await handler.execute(orderOf({ model: 'whisper-1' }), never);
    expect(fake.received[0]?.fields).toContainEqual(['response_format', 'json']);
    expect(transcript).toMatchObject({ text: 'Three knots.', words: null });
    const captions = orderOf({ model: 'whisper-1', response_format: 'srt' });
    await expect(handler.execute(captions, never)).rejects.toThrow('states no times');
  });

  it.each([
    [400, { error: { message: 'the file is odd' } }, 'rejected the request: the file is odd'],
    [401, { error: { message: 'the key' } }, 'answered 401'],
    [429, {}, 'is busy'],
    [500, 'no', 'answered 500'],
    [200, '<html>', 'sent no transcript'],
    [200, { txt: 1 }, 'sent no transcript'],
  ])('that answer %i %j are free', async (status, body, message) => {
    const { handler, ledger } = await open('openai', body, { status });
    await expect(handler.execute(orderOf({ model: 'whisper-1' }), never)).rejects.toThrow(message);
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('that are away are free', async () => {
    const { fake, handler } = await open('openai', VERBOSE);
    await fake.close();
    closing.splice(0);
    const work = handler.execute(orderOf({ model: 'whisper-1' }), never);
    await expect(work).rejects.toThrow('does not answer');
  });

  it('speak', async () => {
    const known = ['model', 'input', 'voice', 'response_format', 'speed', 'instructions'];
    const fake = await startAudioServer(known, () => ({ body: Buffer.from('ID3') }));
    closing.push(fake.close);
    const file = await fileOf({
      name: 'theirs',
      server: 'openai',
      base_url: `${fake.url}/v1/`,
      speech_models: [{ id: 'tts-1' }],
    });
    const upstreams = new AudioUpstreams({ ...SETTINGS, upstreamsFile: file });
    await upstreams.onModuleInit();
    const served = upstreams.speaking('tts-1');
    if (!served) throw new Error('the file lists tts-1');
    const text = { input: 'Knots', voice: 'alloy', format: 'mp3', speed: 1, instructions: null };
    const spoken = await upstreams.speak(served, text, never);
    expect(spoken).toEqual({ bytes: Buffer.from('ID3'), contentType: 'audio/mpeg' });
    expect(fake.received[0]).toMatchObject({ path: '/v1/audio/speech', authorization: undefined });
  });

  it.each([
    [{ name: 'a', server: 'nats', base_url: 'http://a' }, 'server'],
    [
      { name: 'a', server: 'whisper.cpp', base_url: 'http://a', speech_models: [{ id: 's' }] },
      'whisper.cpp does not speak',
    ],
  ])('are rejected as %j', async (server, message) => {
    const upstreams = new AudioUpstreams({ ...SETTINGS, upstreamsFile: await fileOf(server) });
    await expect(upstreams.onModuleInit()).rejects.toThrow(message);
  });
});
