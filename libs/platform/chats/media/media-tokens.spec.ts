import { describe, expect, it } from '@jest/globals';
import { dataUrl, png } from './images.fixture.js';
import { imageTokensMax, type MediaProvider, type MediaRule } from './media-rules.js';
import { mediaTokensMax } from './media-tokens.js';

const rule = (provider: MediaProvider, upstreamId = 'm'): MediaRule => ({ provider, upstreamId });
const CLAUDE = rule('anthropic', 'claude-opus-5-5');
const GEMINI = rule('google', 'gemini-3.8-flash');
const GPT_6 = rule('openai', 'gpt-6-astra');
const at = (size: readonly [number, number] | undefined, detail: unknown = 'auto') => ({
  size: size && { width: size[0], height: size[1] },
  detail,
});

/**
 * Prompts of one image each, with a text of 60 tokens at the least, as measured by the data set
 * `JOHNISKING/image-token-cost` of Hugging Face: Claude Opus 5.5, Gemini 3 and GPT-6 Astra.
 */
const MEASURED = [
  [256, 256, 177, 1_090, 77],
  [512, 512, 438, 1_090, 308],
  [768, 768, 861, 1_090, 692],
  [1_024, 1_024, 1_446, 1_090, 1_229],
  [1_280, 720, 1_273, 1_101, 1_104],
  [1_920, 1_080, 2_768, 1_101, 2_448],
  [2_560, 1_440, 3_069, 1_101, 4_320],
  [3_840, 2_160, 3_069, 1_101, 9_792],
  [4_032, 3_024, 4_005, 1_065, 14_364],
] as const;
const TEXT_OF_CLAUDE = 77;

describe('the tokens of an image', () => {
  it.each(MEASURED)(
    'of %d x %d pixels are no fewer than measured',
    (width, height, claude, gemini, gpt) => {
      const image = at([width, height]);
      expect(imageTokensMax(CLAUDE, image)).toBeGreaterThanOrEqual(claude - TEXT_OF_CLAUDE);
      expect(imageTokensMax(GEMINI, image)).toBeGreaterThanOrEqual(gemini);
      expect(imageTokensMax(GPT_6, image)).toBeGreaterThanOrEqual(gpt);
    },
  );

  it.each([
    ['gpt-4o', 1_024, 1_024, 'high', 765],
    ['gpt-4o-2024-11-20', 2_048, 4_096, 'high', 1_105],
    ['gpt-4o', 4_096, 8_192, 'low', 85],
    ['gpt-4.1', 512, 512, 'auto', 255],
    ['gpt-5', 1_024, 1_024, 'high', 630],
    ['gpt-4o-mini', 512, 512, 'high', 8_500],
    ['o3', 1_024, 1_024, 'high', 675],
    ['gpt-4.1-nano', 1_024, 1_024, 'high', 2_520],
    // More patches than the most.
    ['gpt-4.1-mini', 4_000, 4_000, 'high', 2_642],
    ['gpt-5.4-mini', 1_920, 1_080, 'high', 2_642],
  ])(
    'of %s with %d x %d pixels in detail %4$s are %5$d',
    (model, width, height, detail, tokens) => {
      expect(imageTokensMax(rule('openai', model), at([width, height], detail))).toBe(tokens);
    },
  );

  it.each([
    ['gemini-2.5-pro', 960, 540, 2_240],
    // The tile of the rough rule is smaller than the least tile at Vertex,
    ['gemini-2.5-pro', 1_000, 300, 10 * 258],
    // and the largest tile at Vertex is smaller than a tile of the rough rule.
    ['publishers/google/models/gemini-2.5-flash', 3_000, 3_000, 16 * 258],
    ['gemini-3.8-flash', 3_072, 384, 24 * 258],
    ['gemini-3.8-flash', 3_072, 2, 24 * 258],
    ['gemini-4-argon', 100, 100, 24 * 258],
    ['gemini-flash-latest', 100, 100, 24 * 258],
  ])('of %s with %d x %d pixels are %d', (model, width, height, tokens) => {
    expect(imageTokensMax(rule('google', model), at([width, height]))).toBe(tokens);
  });

  it.each([
    ['a patch of 28 pixels for each token', 28 * 9, 28 * 7 - 1, 66],
    ['its most, by 92 x 52 patches', 2_576, 1_449, 4_784],
    ['its most', 3_840, 2_160, 4_784],
  ])('of Claude are %s', (_, width, height, tokens) => {
    expect(imageTokensMax(CLAUDE, at([width, height]))).toBe(tokens);
  });

  it.each([
    [rule('openai', 'gpt-4o'), 1_445],
    [rule('openai', 'gpt-4.1-mini'), 2_642],
    [CLAUDE, 4_784],
    [GEMINI, 6_192],
    [GPT_6, Infinity],
  ])('of unknown size are the most that %j states', (of, tokens) => {
    expect(imageTokensMax(of, at(undefined))).toBe(tokens);
  });

  it.each([CLAUDE, GEMINI, rule('openai', 'gpt-4o'), rule('openai', 'o4-mini')])(
    'never exceed the tokens of an unknown size: %j',
    (of) => {
      for (const width of [1, 100, 385, 3_000, 9_000]) {
        for (const height of [1, 257, 800, 5_000]) {
          const known = imageTokensMax(of, at([width, height]));
          expect(known).toBeGreaterThan(0);
          expect(known).toBeLessThanOrEqual(imageTokensMax(of, at(undefined)));
        }
      }
    },
  );
});

describe('the tokens of a part', () => {
  const url = dataUrl(png(1_024, 1_024));
  const [, data = ''] = url.split(',');
  const GPT_4O = rule('openai', 'gpt-4o');

  it.each([
    [{ type: 'image_url', image_url: { url, detail: 'low' } }, 85],
    [{ type: 'image_url', image_url: { url } }, 765],
    [{ type: 'image_url', image_url: url }, 765],
    [{ type: 'input_image', image_url: url, detail: 'low' }, 85],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }, 765],
    [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }, 1_445],
    [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }, 1_445],
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, 1_445],
    [{ type: 'image_url' }, 1_445],
  ])('are the tokens of its image: %j', (part, tokens) => {
    expect(mediaTokensMax(part, [GPT_4O])).toBe(tokens);
  });

  it('are the most of all rigs, and unbounded where there is no rule', () => {
    const part = { type: 'image_url', image_url: { url } };
    expect(mediaTokensMax(part, [GPT_4O, CLAUDE, GEMINI])).toBe(2_240);
    expect(mediaTokensMax(part, [])).toBe(Infinity);
  });

  const audio = (bytes: Buffer) => ({
    type: 'input_audio',
    input_audio: { data: bytes.toString('base64'), format: 'wav' },
  });
  const wav = (bytesPerSecond: number, seconds: number): Buffer => {
    const header = Buffer.alloc(44);
    header.write('RIFF', 0);
    header.write('WAVEfmt ', 8);
    header.writeUInt32LE(bytesPerSecond, 28);
    return Buffer.concat([header, Buffer.alloc(bytesPerSecond * seconds)]);
  };

  it('follow from the seconds of a recording', () => {
    const recording = audio(wav(48_000, 10));
    expect(mediaTokensMax(recording, [rule('openai', 'gpt-audio-1.5')])).toBe(110);
    expect(mediaTokensMax(recording, [GEMINI])).toBe(11 * 32);
    expect(mediaTokensMax(recording, [CLAUDE])).toBe(Infinity);
  });

  it('assume the slowest codec, where no header says more', () => {
    expect(mediaTokensMax(audio(Buffer.alloc(30_000)), [GEMINI])).toBe(30 * 32);
    // A header cannot make a recording shorter than the fastest format.
    expect(mediaTokensMax(audio(wav(4_000_000_000, 0)), [GEMINI])).toBe(32);
  });

  it.each([[null], ['text'], [{ type: 'text', text: 'a' }], [{ type: 'file' }]])(
    'are not known for %j',
    (part) => {
      expect(mediaTokensMax(part, [GPT_4O])).toBeUndefined();
    },
  );
});
