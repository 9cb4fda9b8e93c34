import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Worker } from 'node:worker_threads';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { type Picture, PictureError } from './picture.js';
import { PictureThread } from './picture-thread.js';
import { decodePng, PIXELS_MAX } from './png-decoder.js';
import { encodePng } from './png-encoder.js';
import { textsOf, withText } from './png-text.js';
import { chunkOf, SIGNATURE } from './png.chunks.js';
import { resample } from './resample.js';

const picture = (width: number, height: number): Picture => ({
  width,
  height,
  pixels: Uint8Array.from({ length: 3 * width * height }, (_, at) => (at * 37 + (at >> 3)) % 256),
});

interface Fields {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colour?: number;
  readonly interlace?: number;
}

/** A PNG file of rows that are given with their filters. */
const fileOf = (fields: Fields, rows: readonly number[], more: readonly Buffer[] = []): Buffer => {
  const { width = 2, height = 1, depth = 8, colour = 2, interlace = 0 } = fields;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    ...more,
    chunkOf('IDAT', deflateSync(Uint8Array.from(rows))),
    chunkOf('IEND', new Uint8Array()),
  ]);
};

const codeOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof PictureError) return error.code;
    throw error;
  }
  return 'none';
};

describe('PNG files', () => {
  it('are read as they were written', () => {
    const written = picture(19, 7);
    expect(decodePng(encodePng(written))).toEqual(written);
  });

  it('are the same for pngjs, in both directions', () => {
    const written = picture(19, 7);
    const theirs = PNG.sync.read(encodePng(written));
    expect({ ...written, pixels: theirs.data.filter((_, at) => at % 4 < 3) }).toEqual({
      ...written,
      pixels: Buffer.from(written.pixels),
    });
    for (const colorType of [2, 6] as const) {
      expect(decodePng(PNG.sync.write(theirs, { colorType }))).toEqual(written);
    }
  });

  it.each<[string, Fields, readonly number[], readonly Buffer[], readonly number[]]>([
    ['grey of one bit', { depth: 1, colour: 0 }, [0, 0b0100_0000], [], [0, 0, 0, 255, 255, 255]],
    ['grey of 16 bits', { depth: 16, colour: 0 }, [0, 9, 1, 8, 2], [], [9, 9, 9, 8, 8, 8]],
    ['grey over white', { colour: 4 }, [0, 10, 255, 10, 0], [], [10, 10, 10, 255, 255, 255]],
    ['colours over white', { width: 1, colour: 6 }, [0, 0, 100, 200, 51], [], [204, 224, 244]],
    [
      'a palette of two bits',
      { depth: 2, colour: 3 },
      [0, 0b0100_0000],
      [chunkOf('PLTE', Uint8Array.of(1, 2, 3, 4, 5, 6))],
      [4, 5, 6, 1, 2, 3],
    ],
    ['the filter Sub', {}, [1, 1, 2, 3, 1, 1, 1], [], [1, 2, 3, 2, 3, 4]],
    ['the filter Up', { width: 1, height: 2 }, [0, 5, 6, 7, 2, 1, 1, 1], [], [5, 6, 7, 6, 7, 8]],
    [
      'the filter Average',
      { height: 2 },
      [0, 10, 10, 10, 20, 20, 20, 3, 1, 1, 1, 1, 1, 1],
      [],
      [10, 10, 10, 20, 20, 20, 6, 6, 6, 14, 14, 14],
    ],
    [
      'the filter Paeth',
      { height: 2 },
      [0, 10, 10, 10, 20, 20, 20, 4, 1, 1, 1, 1, 1, 1],
      [],
      [10, 10, 10, 20, 20, 20, 11, 11, 11, 21, 21, 21],
    ],
  ])('of %s are read', (_, fields, rows, more, pixels) => {
    expect([...decodePng(fileOf(fields, rows, more)).pixels]).toEqual(pixels);
  });

  it.each<[string, string, Buffer]>([
    ['another format', 'not_a_png', Buffer.from('GIF89a')],
    ['sides without end', 'picture_too_large', fileOf({ width: 2 ** 31, height: 1 }, [])],
    ['many pixels', 'picture_too_large', fileOf({ width: 4_096, height: 4_096 }, [])],
    ['no pixels', 'picture_damaged', fileOf({ width: 0 }, [])],
    ['more pixels than its header says', 'picture_damaged', fileOf({}, Array(1e6).fill(0))],
    ['fewer pixels than its header says', 'picture_damaged', fileOf({}, [0, 1, 2])],
    ['an unknown filter', 'picture_damaged', fileOf({}, [5, 0, 0, 0, 0, 0, 0])],
    ['colours that do not exist', 'picture_damaged', fileOf({ colour: 5 }, [])],
    ['no palette', 'picture_damaged', fileOf({ colour: 3 }, [0, 0, 0])],
    ['interlaced rows', 'picture_unsupported', fileOf({ interlace: 1 }, [])],
    [
      'frames',
      'picture_unsupported',
      fileOf({}, [0, 1, 2, 3, 4, 5, 6], [chunkOf('acTL', Buffer.alloc(8, 1))]),
    ],
    [
      'chunks without end',
      'picture_damaged',
      fileOf({}, [0, 1, 2, 3, 4, 5, 6], Array(10_000).fill(chunkOf('tEXt', Buffer.of(1)))),
    ],
  ])('with %s are rejected', (_, code, file) => {
    expect(codeOf(() => decodePng(file))).toBe(code);
  });

  it('with a colour profile that would inflate to gigabytes are read without it', () => {
    const profile = Buffer.concat([Buffer.from('icc\0\0'), deflateSync(Buffer.alloc(1e7))]);
    const file = fileOf({}, [0, 1, 2, 3, 4, 5, 6], [chunkOf('iCCP', profile)]);
    expect([...decodePng(file).pixels]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('that are damaged are a PictureError, or another picture of the same size', () => {
    const file = encodePng(picture(5, 4));
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), fc.nat(file.length), (at, byte, end) => {
        const damaged = Buffer.from(file);
        damaged[at] = byte;
        for (const one of [damaged, file.subarray(0, end)]) codeOf(() => decodePng(one));
      }),
    );
  });
});

describe('texts of PNG files', () => {
  it('are read by their keyword, and change no pixel', () => {
    const file = encodePng(picture(3, 3));
    const claimed = withText(withText(file, 'claim', 'Größe — 1'), 'other', 'two');
    expect(textsOf(claimed, 'claim')).toEqual(['Größe — 1']);
    expect(textsOf(file, 'claim')).toEqual([]);
    expect(decodePng(claimed)).toEqual(decodePng(file));
  });
});

describe('a picture of another size', () => {
  it('keeps flat colours, its shape, and continues its edges', () => {
    const pixels = new Uint8Array(4 * 4 * 3).fill(90);
    for (let row = 0; row < 4; row += 1) pixels.set([200, 10, 30], row * 12);
    const wide = resample({ width: 4, height: 4, pixels }, { width: 32, height: 16 }, 'whole');
    expect([...wide.pixels.subarray(0, 3)]).toEqual([200, 10, 30]);
    expect([...wide.pixels.subarray(-3)]).toEqual([90, 90, 90]);
    // The picture begins at the eighth pixel: before it, its edge.
    expect([...wide.pixels.subarray(3 * 5, 3 * 6)]).toEqual([200, 10, 30]);
  });

  it('is its middle where it covers a shape of another kind', () => {
    const pixels = new Uint8Array(8 * 4 * 3);
    for (let at = 0; at < pixels.length; at += 1) pixels[at] = Math.floor(at / 3) % 8 < 2 ? 0 : 255;
    const cut = resample({ width: 8, height: 4, pixels }, { width: 4, height: 4 }, 'cover');
    expect([...cut.pixels]).toEqual(Array(48).fill(255));
  });

  it('is as dark as before where it is smaller', () => {
    const pixels = Uint8Array.from({ length: 64 * 64 * 3 }, (_, at) =>
      Math.floor(at / 3) % 2 === 0 ? 0 : 200,
    );
    const small = resample({ width: 64, height: 64, pixels }, { width: 8, height: 8 }, 'whole');
    for (const value of small.pixels) expect(Math.abs(value - 100)).toBeLessThan(15);
  });
});

describe('the thread of pictures', () => {
  const { signal } = new AbortController();
  let thread: PictureThread;

  beforeEach(() => {
    thread = new PictureThread();
  });

  afterEach(() => thread.close());

  it('reads, writes and names what it rejects', async () => {
    const large = { width: 4_096, height: PIXELS_MAX / 4_096 };
    const { file, pixelsSha256 } = await thread.encode(
      picture(4, 4),
      { width: 8, height: 8 },
      signal,
    );
    const read = await thread.decode(file, null, signal);
    expect(read).toMatchObject({ width: 8, height: 8 });
    expect(pixelsSha256).toMatch(/^[0-9a-f]{64}$/);
    await expect(thread.decode(Buffer.from('no'), null, signal)).rejects.toMatchObject({
      code: 'not_a_png',
    });
    const largest = encodePng({ ...large, pixels: new Uint8Array(3 * PIXELS_MAX) });
    expect(await thread.decode(largest, { width: 2, height: 2 }, signal)).toMatchObject({
      pixels: new Uint8Array(12),
    });
  });

  it('ends alone with the task that it runs, and the next task starts another', async () => {
    const started: Worker[] = [];
    const note = (message: unknown): void => {
      started.push((message as { readonly worker: Worker }).worker);
    };
    subscribe('worker_threads', note);
    const written = encodePng(picture(4, 4));
    const large = { width: 2_048, height: 2_048 };
    try {
      const lost = thread.encode(picture(4, 4), large, signal);
      await started[0]?.terminate();
      await expect(lost).rejects.toMatchObject({ code: 'crashed' });
      expect(await thread.decode(written, null, signal)).toEqual(picture(4, 4));
      expect(started).toHaveLength(2);
      await thread.close();
      await expect(thread.measure(written, signal)).rejects.toMatchObject({ code: 'closed' });
      expect(started).toHaveLength(2);
    } finally {
      unsubscribe('worker_threads', note);
    }
  });
});
