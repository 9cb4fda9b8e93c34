import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { piecesOf } from './batches-world.fixture.js';
import { type FileLine, linesOf } from './jsonl.js';

const read = async (text: string, bytesMax = 100, size = 7): Promise<readonly FileLine[]> =>
  (await Array.fromAsync(linesOf(piecesOf(text, size), bytesMax))).flat();

describe('the lines of a file', () => {
  it('are counted from 1, blank ones too, and need no end of the last line', async () => {
    expect(await read('one\n\n  \r\ntwö\r\nthree')).toEqual([
      { number: 1, text: 'one' },
      { number: 4, text: 'twö\r' },
      { number: 5, text: 'three' },
    ]);
  });

  it('are the same however the stream is cut', async () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const lines = fc.array(
      word.filter((text) => !text.includes('\n') && text.trim() !== '' && !text.includes('\uFEFF')),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 50 }), async (texts, size) => {
        const found = await read(texts.join('\n'), 1_000, size);
        expect(found.map((line) => ('text' in line ? line.text : ''))).toEqual(texts);
      }),
    );
  });

  it('report one that is too long, and go on with the next', async () => {
    expect(await read(`${'x'.repeat(11)}\n${'y'.repeat(10)}\n`, 10)).toEqual([
      { number: 1, unreadable: 'too_long' },
      { number: 2, text: 'y'.repeat(10) },
    ]);
  });

  it('report one that is not UTF-8', async () => {
    const source = (async function* () {
      yield await Promise.resolve(Buffer.from([0xff, 0x0a, 0x61]));
    })();
    expect((await Array.fromAsync(linesOf(source, 10))).flat()).toEqual([
      { number: 1, unreadable: 'not_utf8' },
      { number: 2, text: 'a' },
    ]);
  });
});
