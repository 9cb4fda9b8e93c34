import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WebhookWindow } from './webhook-window.js';

const through = async (window: WebhookWindow, parts: readonly string[]): Promise<string> => {
  let text = '';
  for (const part of parts) text += await window.push(part);
  return text + (await window.end());
};

describe('the window of a webhook', () => {
  it('redacts a match across parts, wherever the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), fc.nat(8), async (parts, at) => {
        const [before, after] = [parts.slice(0, at), parts.slice(at)];
        const cut = ['[se', 'cr', 'et]'];
        const ask = (text: string) => Promise.resolve(text.replaceAll('[secret]', '*'));
        const text = await through(new WebhookWindow(8, true, ask), [...before, ...cut, ...after]);
        expect(text).toBe([...before, ...cut, ...after].join('').replaceAll('[secret]', '*'));
      }),
    );
  });

  it('asks about each part, with the end of the one before', async () => {
    const asked: string[] = [];
    const ask = (text: string) => Promise.resolve((asked.push(text), text));
    const window = new WebhookWindow(4, true, ask);
    expect(await window.push('abcdefg')).toBe('');
    expect(await window.push('h')).toBe('abcd');
    expect(await window.push('ijkl')).toBe('efgh');
    expect(await window.end()).toBe('ijkl');
    expect(asked).toEqual(['abcdefgh', 'efghijkl']);
  });

  it('divides no pair of surrogates', async () => {
    const window = new WebhookWindow(3, true, (text) => Promise.resolve(text));
    expect(await window.push('ab🪢cd')).toBe('ab');
    expect(await window.end()).toBe('🪢cd');
  });

  it('delivers at once what is only flagged, and asks all the same', async () => {
    const asked: string[] = [];
    const ask = (text: string) => Promise.resolve((asked.push(text), text));
    const window = new WebhookWindow(4, false, ask);
    expect(await window.push('abc')).toBe('abc');
    expect(await window.end()).toBe('');
    expect(asked).toEqual(['abc']);
  });
});
