import { describe, expect, it } from '@jest/globals';
import { resampled } from './resample.js';

const tone = (hertz: number, rate: number, seconds = 0.5): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, at) =>
    Math.sin((2 * Math.PI * hertz * at) / rate),
  );

const level = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);

describe('another sample rate', () => {
  it.each([8_000, 11_025, 22_050, 44_100, 48_000, 96_000])('of %i Hz keeps a tone', (rate) => {
    const made = resampled(tone(1_000, rate), rate, 16_000);
    const expected = tone(1_000, 16_000);
    expect(made.length).toBe(expected.length);
    // The filter hears silence beyond the ends.
    const inner = made.subarray(400, -400);
    const difference = inner.map((sample, at) => sample - (expected[at + 400] ?? 0));
    expect(level(difference)).toBeLessThan(1e-3);
  });

  it('loses what the new rate cannot carry', () => {
    const inner = resampled(tone(11_000, 44_100), 44_100, 16_000).subarray(400, -400);
    expect(level(inner)).toBeLessThan(1e-3);
  });
});
