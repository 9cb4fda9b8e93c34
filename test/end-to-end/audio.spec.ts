import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toFile } from 'openai';
import request from 'supertest';
import { startAudioServer } from '#areas/audio/upstreams/audio-upstreams.fake.js';
import { samplesIn } from '#engines/speech-recognition/audio/samples.js';
import { wavOf } from '#engines/speech-recognition/audio/wav.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const SAMPLES = path.resolve(import.meta.dirname, '../../models/speech/quipu-words/samples');

/** A millisecond costs a micro-dollar. */
const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models: []
meters:
  - { meter: audio_ms, usd: 1, per: 1000000 }
  - { meter: upstream_speech_characters, usd: 10, per: 1000000 }
`;

/** The fields of OpenAI's speech. */
const SPEECH_FIELDS = ['model', 'input', 'voice', 'response_format', 'speed', 'instructions'];

interface Sample {
  readonly name: string;
  readonly heard: readonly string[];
}

describe('audio', () => {
  let world: World;
  let wav: Buffer;
  let heard: string;
  let seconds: number;
  let speaker: Awaited<ReturnType<typeof startAudioServer>>;
  let folder: string;

  beforeAll(async () => {
    const json = await readFile(path.join(SAMPLES, 'samples.json'), 'utf8');
    const sample = (JSON.parse(json) as readonly Sample[]).find((one) => one.heard.length > 0);
    if (!sample) throw new Error('no recording has a word');
    const samples = samplesIn(await readFile(path.join(SAMPLES, sample.name)));
    wav = wavOf({ samples });
    heard = sample.heard.join(' ');
    seconds = samples.length / 16_000;
    speaker = await startAudioServer(SPEECH_FIELDS, () => ({ body: Buffer.from('ID3 knots') }));
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-e2e-audio-'));
    const upstreams = path.join(folder, 'upstreams.json');
    const speech_models = [{ id: 'tts-1-hd', upstream_id: 'tts-x' }];
    const server = {
      name: 'theirs',
      server: 'openai',
      base_url: `${speaker.url}/v1`,
      speech_models,
    };
    await writeFile(upstreams, JSON.stringify({ servers: [server] }));
    world = await startWorld([], {
      catalogOf,
      environment: { QUIPU_AUDIO_UPSTREAMS: upstreams },
    });
  });

  afterAll(async () => {
    await world.close();
    await speaker.close();
    await rm(folder, { recursive: true });
  });

  const post = (address: string) =>
    request(world.quipu.url)
      .post(address)
      .set('authorization', `Bearer ${world.credentials.api_key}`);

  const chargeOf = async () =>
    (await world.events()).findLast(({ type }) => type === 'HoldCaptured')?.data as
      { readonly purpose: string } | undefined;

  it('transcribes for the official client, and charges the milliseconds', async () => {
    const file = await toFile(wav, 'words.wav');
    const answer = await world.openai.audio.transcriptions.create({ file, model: 'quipu-words' });
    expect(answer.text).toBe(heard);
    expect(answer).toMatchObject({ model: 'quipu-words', engine: 'embedded' });
    expect(await chargeOf()).toMatchObject({
      purpose: 'transcription',
      lines: [{ meter: 'audio_ms', quantity: Math.ceil(seconds * 1_000) }],
    });
  });

  it('states the times of words, and streams', async () => {
    const file = await toFile(wav, 'words.wav');
    const verbose = await world.openai.audio.transcriptions.create({
      file,
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(verbose.words?.map(({ word }) => word).join(' ')).toBe(heard);
    const stream = await world.openai.audio.transcriptions.create({
      file,
      model: 'quipu-words',
      stream: true,
    });
    const [deltas, dones]: [string[], string[]] = [[], []];
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') deltas.push(event.delta);
      if (event.type === 'transcript.text.done') dones.push(event.text);
    }
    expect(deltas.join('')).toBe(heard);
    expect(dones).toEqual([heard]);
  });

  it.each([
    ['text', /^.+\n$/],
    ['srt', /^1\n00:00:00,\d{3} --> 00:00:\d\d,\d{3}\n/],
    ['vtt', /^WEBVTT\n\n00:00:00\.\d{3} --> /],
  ])('answers as %s at both addresses', async (format, shape) => {
    for (const address of ['/v1/audio/transcriptions', '/api/v1/audio/transcriptions']) {
      const { status, text } = await post(address)
        .field('response_format', format)
        .attach('file', wav, 'words.wav');
      expect([status, text]).toEqual([200, expect.stringMatching(shape)]);
      expect(text).toContain(heard);
    }
  });

  it('answers a repeat with the same key once, and another recording not at all', async () => {
    const ask = (file: Buffer) =>
      post('/v1/audio/transcriptions').set('idempotency-key', 'sound-1').attach('file', file, 'a');
    const first = await ask(wav);
    const events = (await world.events()).length;
    const repeat = await ask(wav);
    expect(repeat.body).toEqual(first.body);
    expect((await world.events()).length).toBe(events);
    expect((await ask(wavOf({ samples: new Float32Array(16_000) }))).status).toBe(409);
  });

  it('says nothing for silence, and rejects lies, no file and a translation', async () => {
    const silence = wavOf({ samples: new Float32Array(32_000) });
    const quiet = await post('/v1/audio/transcriptions').attach('file', silence, 'silence.wav');
    expect(quiet.body).toMatchObject({ text: '', low_confidence: false, confidence: null });
    const lying = Buffer.from(wav);
    lying.writeUInt32LE(0x7fff_ffff, 40);
    const lie = await post('/v1/audio/transcriptions').attach('file', lying, 'lie.wav');
    expect([lie.status, lie.body.error.code]).toEqual([400, 'audio_invalid']);
    const none = await post('/v1/audio/transcriptions').field('model', 'quipu-words');
    expect([none.status, none.body.error.code]).toEqual([400, 'invalid_form']);
    const translation = await post('/v1/audio/translations')
      .field('model', 'whisper-1')
      .attach('file', wav, 'words.wav');
    expect(translation.body.error.code).toBe('audio_translation_unavailable');
  });

  it('speaks by an upstream for the official client, and charges the characters', async () => {
    const order = { model: 'tts-1-hd', input: 'Three knots.', voice: 'alloy' };
    const answer = await world.openai.audio.speech.create(order);
    expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe('ID3 knots');
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(answer.headers.get('x-quipu-model')).toBe('tts-x');
    expect(speaker.received).toMatchObject([{ path: '/v1/audio/speech' }]);
    expect(speaker.received[0]?.fields).toContainEqual(['model', 'tts-x']);
    expect(await chargeOf()).toMatchObject({
      purpose: 'speech',
      lines: [{ meter: 'upstream_speech_characters', quantity: 12 }],
    });
  });

  it.each([
    [{ model: 'tts-9' }, 503, 'audio_model_unavailable', 'model'],
    [{ model: 'tts-1', voice: '--path' }, 400, 'audio_field_invalid', 'voice'],
    [{ model: 'tts-1' }, 501, 'audio_not_priced', 'speech_characters'],
  ])('does not speak for %j', async (changes, status, code, named) => {
    const body = { input: 'Three knots.', voice: 'alloy', ...changes };
    const answer = await post('/api/v1/audio/speech').send(body);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).toContain(named);
  });

  it('transcribes a long recording as a job', async () => {
    const long = new Float32Array(16_000 * 61);
    long.set(samplesIn(wav.subarray(44)), 16_000 * 30);
    const file = wavOf({ samples: long });
    const waited = await post('/v1/audio/transcriptions').attach('file', file, 'long.wav');
    expect([waited.status, waited.body.error.code]).toEqual([413, 'audio_too_long']);
    const { status, body } = await post('/api/v1/audio/transcription_jobs').attach(
      'file',
      file,
      'long.wav',
    );
    expect(status).toBe(202);
    const transcript = () =>
      request(world.quipu.url)
        .get(`/api/v1/audio/transcription_jobs/${String(body.id)}/transcript`)
        .set('authorization', `Bearer ${world.credentials.api_key}`);
    await eventually(async () => (await transcript()).status === 200);
    expect((await transcript()).body.text).toContain(heard);
    await eventually(async () => (await chargeOf())?.purpose === 'long_transcription');
    expect(await chargeOf()).toMatchObject({ lines: [{ meter: 'audio_ms', quantity: 61_000 }] });
  });
});
