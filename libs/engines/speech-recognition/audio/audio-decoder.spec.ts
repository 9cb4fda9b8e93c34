import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeAudio } from './audio-decoder.js';
import { boundedOutput } from './bounded-program.js';
import { decodeByFfmpeg } from './ffmpeg.js';
import { wavOf } from './wav.fixture.js';

const never = new AbortController().signal;
const LIMITS = {
  wallMsMax: 20_000,
  cpuSecondsMax: 5,
  memoryKibMax: 4_000_000,
  outputBytesMax: 1_000,
};

describe('a recording', () => {
  it('of WAV is decoded in a thread to 16 kHz', async () => {
    const file = wavOf({ samples: new Float32Array(8_000).fill(0.5), sampleRate: 8_000 });
    const { pcm, seconds } = await decodeAudio(file, { secondsMax: 2 }, never);
    expect(seconds).toBe(1);
    expect(pcm.readInt16LE(16_000)).toBeCloseTo(16_384, -2);
  });

  it('that is longer than allowed, empty or lying is rejected', async () => {
    const long = wavOf({ samples: new Float32Array(24_000) });
    const limits = { secondsMax: 1 };
    await expect(decodeAudio(long, limits, never)).rejects.toMatchObject({
      fault: 'audio_too_long',
      message: 'file: expected at most 1 seconds, received 1.5',
    });
    const empty = decodeAudio(wavOf({ samples: [] }), limits, never);
    await expect(empty).rejects.toMatchObject({ fault: 'audio_invalid' });
    long.writeUInt32LE(0x7fff_ffff, 40);
    await expect(decodeAudio(long, limits, never)).rejects.toThrow('has 2147483647 bytes');
  });

  it('is not decoded for a caller that has left', async () => {
    const left = AbortSignal.abort(new Error('left'));
    const file = wavOf({ samples: [0] });
    await expect(decodeAudio(file, { secondsMax: 1 }, left)).rejects.toThrow('left');
  });

  it('of another format needs ffmpeg, and says so', async () => {
    const work = decodeByFfmpeg(Buffer.from('ID3'), 1, never, 'quipu-no-ffmpeg');
    await expect(work).rejects.toMatchObject({
      fault: 'program_missing',
      message: expect.stringContaining('without ffmpeg, which is not installed'),
    });
  });
});

describe('a program of the machine', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-program-'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  const scripted = async (script: string): Promise<string> => {
    const program = path.join(folder, 'program');
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o700);
    return program;
  };

  it.each([
    ['writes without an end', 'while :; do echo knots; done', 'more sound than allowed', {}],
    ['does not end', 'exec sleep 60', 'exceeded its time', { wallMsMax: 300 }],
    ['computes without an end', 'while :; do :; done', 'exceeded its time', { cpuSecondsMax: 1 }],
    ['fails', 'echo it is odd >&2; exit 3', 'failed: it is odd', {}],
  ])('that %s is ended', async (_, script, message, limits) => {
    const program = await scripted(script);
    const call = { program, parameters: [] };
    await expect(boundedOutput(call, { ...LIMITS, ...limits }, never)).rejects.toThrow(message);
  });

  it('sees its input and no variable of the process', async () => {
    process.env['QUIPU_SPEC_SECRET'] = 'a secret';
    const program = await scripted('cat; env');
    const call = { program, parameters: [], input: 'knots\n' };
    const output = await boundedOutput(call, LIMITS, never);
    delete process.env['QUIPU_SPEC_SECRET'];
    expect(output.toString()).toMatch(/^knots\n/);
    expect(output.toString()).not.toContain('a secret');
  });

  it('ends when its caller leaves', async () => {
    const program = await scripted('exec sleep 60');
    const leaving = AbortSignal.timeout(200);
    const work = boundedOutput({ program, parameters: [] }, LIMITS, leaving);
    await expect(work).rejects.toThrow('timeout');
  });
});
