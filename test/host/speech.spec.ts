/** Speech with the programs of the machine: espeak-ng speaks, ffmpeg encodes and decodes. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { speakText } from '#areas/audio/speech-recognition.engine.js';
import { decodeAudio } from '#engines/speech-recognition/audio/audio-decoder.js';
import { type SpeechCodec } from '#engines/speech-recognition/audio/encoded-speech.js';
import { samplesIn } from '#engines/speech-recognition/audio/samples.js';
import { wavOf } from '#engines/speech-recognition/audio/wav.fixture.js';
import { Recognizer } from '#engines/speech-recognition/recognizer.js';
import { loadSpeechModel } from '#engines/speech-recognition/speech-model.js';
import { requireProgram } from '../servers/required-program.js';

const MODELS = path.resolve(import.meta.dirname, '../../models');
const SAMPLES = path.join(MODELS, 'speech/quipu-words/samples');
const RATE = 16_000;
const never = new AbortController().signal;
const TEXT = { input: 'One, two, three.', voice: 'alloy', speed: 1 };

interface Sample {
  readonly name: string;
  readonly heard: readonly string[];
}

interface Probe {
  readonly streams: readonly {
    readonly codec_name: string;
    readonly codec_type: string;
    readonly sample_rate: string;
    readonly channels: number;
  }[];
  readonly format: { readonly format_name: string };
}

const probe = (file: Buffer): Probe => {
  const parameters = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', '-'];
  const { stdout, stderr, status } = spawnSync('ffprobe', parameters, { input: file });
  if (status !== 0) throw new Error(`ffprobe: ${stderr.toString()}`);
  return JSON.parse(stdout.toString()) as Probe;
};

describe('speech with the programs of the machine', () => {
  let recognizer: Recognizer;
  let spoken: readonly Sample[];

  beforeAll(async () => {
    for (const program of ['espeak-ng', 'ffmpeg', 'ffprobe'] as const) {
      await requireProgram(program);
    }
    recognizer = new Recognizer(await loadSpeechModel([MODELS]));
    const listed = JSON.parse(
      await readFile(path.join(SAMPLES, 'samples.json'), 'utf8'),
    ) as readonly Sample[];
    spoken = listed.filter(({ heard }) => heard.length > 0);
  });

  const wordsIn = (pcm: Buffer): readonly string[] =>
    recognizer
      .hear(samplesIn(pcm), { before: 0, after: 0 })
      .heard.flatMap(({ word }) => word ?? []);

  /** As other programs make them: 128 kbit/s. */
  const ENCODERS = {
    mp3: ['-c:a', 'libmp3lame', '-b:a', '128k', '-f', 'mp3'],
    ogg: ['-c:a', 'libvorbis', '-b:a', '96k', '-f', 'ogg'],
    flac: ['-c:a', 'flac', '-f', 'flac'],
  } as const;

  // mp3 moves the sound by less than a row of scores: a word near the threshold may be lost.
  it.each(['mp3', 'ogg', 'flac'] as const)(
    'a recording of %s is decoded, and its words are heard',
    async (format) => {
      let lost = 0;
      for (const { name, heard } of spoken.slice(0, 4)) {
        const wav = wavOf({ samples: samplesIn(await readFile(path.join(SAMPLES, name))) });
        const parameters = ['-v', 'error', '-i', 'pipe:0', ...ENCODERS[format], 'pipe:1'];
        const { stdout: file } = spawnSync('ffmpeg', parameters, { input: wav });
        const { pcm, seconds } = await decodeAudio(file, { secondsMax: 60 }, never);
        expect(Math.abs(seconds - (wav.length - 44) / (2 * RATE))).toBeLessThan(0.2);
        const words = wordsIn(pcm);
        expect(heard).toEqual(expect.arrayContaining([...words]));
        lost += heard.length - words.length;
      }
      expect(lost).toBeLessThanOrEqual(format === 'mp3' ? 1 : 0);
    },
    60_000,
  );

  it.each<[SpeechCodec | 'wav', string, string]>([
    ['mp3', 'mp3', 'mp3'],
    ['opus', 'ogg', 'opus'],
    ['aac', 'aac', 'aac'],
    ['flac', 'flac', 'flac'],
    ['wav', 'wav', 'pcm_s16le'],
  ])('a text is spoken as %s, as ffprobe sees it', async (format, container, codec) => {
    const file = await speakText({ ...TEXT, format }, never);
    const { streams, format: seen } = probe(file);
    expect(seen.format_name).toBe(container);
    expect(streams).toMatchObject([{ codec_type: 'audio', codec_name: codec, channels: 1 }]);
    const { seconds } = await decodeAudio(file, { secondsMax: 60 }, never);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(5);
  });

  it('a faster speech is shorter, and pcm has 24,000 samples a second', async () => {
    const slow = await speakText({ ...TEXT, format: 'pcm' }, never);
    const fast = await speakText({ ...TEXT, speed: 2, format: 'pcm' }, never);
    expect(slow.length / (2 * 24_000)).toBeGreaterThan(1);
    expect(fast.length).toBeLessThan(0.8 * slow.length);
  });

  it('a voice that espeak-ng does not have is an error of the program', async () => {
    const work = speakText({ ...TEXT, voice: 'qqq', format: 'wav' }, never);
    await expect(work).rejects.toMatchObject({ fault: 'decoder_failed' });
  });
});
