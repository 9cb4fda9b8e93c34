import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { imageSizeIn } from './image-size.js';
import { gif, jpeg, png, webp } from './images.fixture.js';

const FORMATS = { png, gif, jpeg, ...webp };

describe('the size of an image', () => {
  it.each(Object.entries(FORMATS))('is read from the header of a %s file', (_, imageOf) => {
    fc.assert(
      fc.property(fc.nat({ max: 16_382 }), fc.nat({ max: 16_382 }), (width, height) => {
        const size = { width: width + 1, height: height + 1 };
        expect(imageSizeIn(imageOf(size.width, size.height))).toEqual(size);
      }),
      { numRuns: 50 },
    );
  });

  it('is read behind a preview, and unknown where the preview hides it', () => {
    const image = jpeg(800, 600, 60_000);
    expect(imageSizeIn(image)).toEqual({ width: 800, height: 600 });
    expect(imageSizeIn(image.subarray(0, 50_000))).toBeUndefined();
  });

  it.each([
    ['no pixels', png(0, 5)],
    ['an absurd width', png(2_000_001, 5)],
    ['another format', Buffer.from('BM' + 'x'.repeat(60))],
    ['nothing', Buffer.alloc(0)],
    ['a segment without a length', Buffer.from([0xff, 0xd8, ...Array<number>(20).fill(0xff)])],
    ['a segment of no bytes', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, ...Array<number>(20)])],
  ])('is unknown for %s', (_, bytes) => {
    expect(imageSizeIn(bytes)).toBeUndefined();
  });

  it('is found, or not, in any bytes behind the begin of a format', () => {
    const begins = Object.values(FORMATS).map((imageOf) => imageOf(9, 9));
    fc.assert(
      fc.property(
        fc.constantFrom(...begins),
        fc.nat({ max: 40 }),
        fc.uint8Array({ maxLength: 300 }),
        (begin, kept, rest) => {
          const size = imageSizeIn(Buffer.concat([begin.subarray(0, kept), rest]));
          if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});
