import { describe, expect, it } from '@jest/globals';
import { encodeSpeech } from './encoded-speech.js';
import { samplesIn } from './samples.js';
import { wavOf } from './wav.fixture.js';

const never = new AbortController().signal;
const wav = wavOf({ samples: new Float32Array(2_205).fill(0.5), sampleRate: 22_050 });

describe('the sound of a text', () => {
  it('as pcm has 24,000 samples a second, no header, and needs no program', async () => {
    const pcm = await encodeSpeech(wav, 'pcm', never, 'quipu-no-ffmpeg');
    expect(pcm.length).toBe(2 * 2_400);
    expect(samplesIn(pcm)[1_200]).toBeCloseTo(0.5, 2);
  });

  it.each(['mp3', 'opus', 'aac', 'flac'] as const)(
    'as %s needs ffmpeg, and says what needs none',
    async (format) => {
      await expect(encodeSpeech(wav, format, never, 'quipu-no-ffmpeg')).rejects.toMatchObject({
        fault: 'program_missing',
        message: expect.stringContaining(`response_format: ${format} is written by ffmpeg`),
      });
    },
  );
});
