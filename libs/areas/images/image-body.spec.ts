import { describe, expect, it } from '@jest/globals';
import { bodyOfForm, readImageBody } from './image-body.js';

const read = (body: unknown) => readImageBody(body);

describe('the body of a request for pictures', () => {
  it('has the defaults of the interface', () => {
    expect(read({ prompt: 'a star' })).toEqual({
      asked: {
        prompt: 'a star',
        model: null,
        size: { width: 1_024, height: 1_024 },
        images: 1,
        quality: 'auto',
        format: 'url',
        seed: null,
        steps: 16,
        guidance: 2,
        strength: 0.6,
        others: {},
      },
    });
  });

  it.each([
    ['1280x720', 'hd', { size: { width: 1_280, height: 720 }, steps: 32 }],
    ['768x768', 'low', { size: { width: 768, height: 768 }, steps: 8 }],
    ['auto', 'standard', { size: { width: 1_024, height: 1_024 }, steps: 16 }],
  ])('reads the size %s and the quality %s', (size, quality, asked) => {
    expect(read({ prompt: 'a', size, quality })).toMatchObject({ asked });
  });

  it('keeps fields of others by name, and drops fields that change nothing', () => {
    const body = { prompt: 'a', style: 'vivid', background: 'auto', moderation: 'low', user: 'u' };
    expect(read(body)).toMatchObject({ asked: { others: { style: 'vivid' } } });
  });

  it.each([
    ['', [], 'prompt'],
    ['prompt', { prompt: '' }, 'prompt'],
    ['prompt', { prompt: 'x'.repeat(4_001) }, 'prompt'],
    ['size', { prompt: 'a', size: '99999x99999' }, 'size'],
    ['n', { prompt: 'a', n: 11 }, 'n'],
    ['seed', { prompt: 'a', seed: 2 ** 32 }, 'seed'],
    ['steps', { prompt: 'a', steps: 51 }, 'steps'],
    ['guidance_scale', { prompt: 'a', guidance_scale: 11 }, 'guidance_scale'],
    ['stream', { prompt: 'a', stream: true }, 'stream'],
    ['output_format', { prompt: 'a', output_format: 'webp' }, 'output_format'],
  ])('names the invalid field: %s', (_, body, param) => {
    const { invalid } = read(body) as { readonly invalid: { readonly param: string | null } };
    expect(invalid.param).toBe(Array.isArray(body) ? null : param);
  });

  it('reads numbers of a form', () => {
    const form = new Map([
      ['prompt', '7'],
      ['n', '2'],
      ['strength', '0.5'],
      ['seed', 'x'],
    ]);
    expect(bodyOfForm(form)).toEqual({ prompt: '7', n: 2, strength: 0.5, seed: 'x' });
  });
});
