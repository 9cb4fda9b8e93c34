import { describe, expect, it } from '@jest/globals';
import { AudioError } from '../speech.errors.js';
import { monoOf, readWav, secondsOf } from './wav.js';
import { wavOf } from './wav.fixture.js';

const SAMPLES = [0, 0.5, -0.5, 0.25];

const faultOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof AudioError) return error.message;
    throw error;
  }
  return 'none';
};

describe('a WAV file', () => {
  it.each([
    ['u8', 0.01],
    ['s16', 1e-4],
    ['s24', 1e-6],
    ['s32', 1e-7],
    ['f32', 0],
    ['f64', 0],
  ] as const)('of %s samples is read', (coding, error) => {
    const sound = readWav(wavOf({ samples: SAMPLES, coding, sampleRate: 8_000 }));
    const read = [...monoOf(sound)];
    expect(secondsOf(sound)).toBe(4 / 8_000);
    for (const [at, sample] of SAMPLES.entries()) {
      expect(Math.abs((read[at] ?? Number.NaN) - sample)).toBeLessThanOrEqual(error);
    }
  });

  it('of several channels is their mean, in an extensible format, too', () => {
    const wav = wavOf({ samples: [1, 0, -1, 0], coding: 'f32', channels: 2, isExtensible: true });
    expect([...monoOf(readWav(wav))]).toEqual([0.5, -0.5]);
  });

  it.each<readonly [string, (wav: Buffer) => void, string]>([
    ['data beyond its end', (wav) => wav.writeUInt32LE(9_999, 40), 'has 9999 bytes and has 8'],
    ['a length beyond its end', (wav) => wav.writeUInt32LE(0xffff_ffff, 4), 'and has 52'],
    ['65,535 channels', (wav) => wav.writeUInt16LE(65_535, 22), 'it has 65535 channels'],
    ['no channel', (wav) => wav.writeUInt16LE(0, 22), 'it has 0 channels'],
    ['no rate', (wav) => wav.writeUInt32LE(0, 24), 'it has 0 samples a second'],
    ['another byte rate', (wav) => wav.writeUInt32LE(7, 28), '7 bytes a second'],
    ['another frame', (wav) => wav.writeUInt16LE(3, 32), 'does not have 3 bytes'],
    ['an unknown coding', (wav) => wav.writeUInt16LE(85, 20), 'format 85 with 16 bits'],
    ['13 bits', (wav) => wav.writeUInt16LE(13, 34), 'format 1 with 13 bits'],
    ['half a frame', (wav) => wav.writeUInt32LE(7, 40), 'end within a frame'],
  ])('with %s is rejected', (_, spoil, message) => {
    const wav = wavOf({ samples: SAMPLES, coding: 's16' });
    spoil(wav);
    expect(faultOf(() => readWav(wav))).toContain(message);
  });

  it('without data, or cut short, is rejected', () => {
    const wav = wavOf({ samples: SAMPLES, coding: 's16' });
    expect(faultOf(() => readWav(wav.subarray(0, 20)))).toContain('has 20');
    const header = Buffer.from(wav.subarray(0, 36));
    header.writeUInt32LE(28, 4);
    expect(faultOf(() => readWav(header))).toContain('it has no data');
    expect(faultOf(() => readWav(Buffer.from('RIFF')))).toContain('does not begin');
  });

  it('with a sample that is no number is rejected', () => {
    const wav = wavOf({ samples: [0, Number.NaN], coding: 'f32' });
    expect(faultOf(() => monoOf(readWav(wav)))).toContain('sample 1 is no number');
  });
});
