import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decompress } from './decompress.js';
import { runRasterTask } from './raster-task.js';
import { RasterProblem, RastersError } from './rasters.errors.js';
import { CONTENT_BYTES_MAX } from './rasters.protocol.js';
import { tiffOf } from './tiff/tiff.fixture.js';

const run = (payload: Uint8Array) => runRasterTask({ payload, region: null });
const problemOf = (payload: Uint8Array) => run(payload).problem?.code;
const SMALL = tiffOf(20, 10);

describe('a payload', () => {
  it.each([
    ['none', SMALL],
    ['gzip', gzipSync(SMALL)],
    ['zlib', deflateSync(SMALL)],
  ])('in the compression %s has the same content', (compression, payload) => {
    const end = run(new Uint8Array(payload));
    expect(end).toMatchObject({ compression, sha256: run(SMALL).sha256 });
    expect(end.image).toMatchObject({ width: 20, height: 10, dataType: 'uint8', place: null });
    expect(end.problem).toMatchObject({ code: 'not_georeferenced' });
    expect(end.preview).not.toBeNull();
  });

  it('counts the bytes that were read', () => {
    expect(run(SMALL).bytesRead).toBe(SMALL.length + 200);
    const packed = gzipSync(SMALL);
    expect(run(new Uint8Array(packed)).bytesRead).toBe(packed.length + SMALL.length + 200);
  });

  it('is not decompressed beyond its limit', () => {
    const bomb = gzipSync(Buffer.alloc(CONTENT_BYTES_MAX + 1));
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => run(new Uint8Array(bomb))).toThrow(RastersError);
    const { length } = decompress(new Uint8Array(gzipSync(Buffer.alloc(1_000))), 1_000);
    expect(length).toBe(1_000);
  });

  it.each([
    ['a text', Buffer.from('not an image')],
    ['nothing', Buffer.alloc(0)],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d', 'hex')],
  ])('that is %s is no image', (_, payload) => {
    const end = run(new Uint8Array(payload));
    expect(end).toMatchObject({ image: null, preview: null, problem: { code: 'not_an_image' } });
  });

  it('with damaged compression is kept as it came', () => {
    const payload = new Uint8Array(gzipSync(SMALL).subarray(0, 40));
    const end = run(payload);
    expect(end.problem).toMatchObject({ code: 'compression_damaged' });
    expect(end.content).toBe(payload);
  });

  it.each([
    ['more samples than the limit', tiffOf(20_000, 20_000), 'image_too_large'],
    ['a strip that ends after the file', tiffOf(20, 10, [[279, 1_000_000]]), 'image_damaged'],
    ['no width', tiffOf(20, 10, [[256, 0]]), 'image_damaged'],
    [
      'tiles of odd sides',
      tiffOf(20, 10, [
        [322, 17],
        [323, 16],
      ]),
      'image_damaged',
    ],
    ['too few bytes', tiffOf(100, 100), 'image_damaged'],
    ['JPEG samples', tiffOf(20, 10, [[259, 7]]), 'image_unsupported'],
    ['samples of 4 bits', tiffOf(20, 10, [[258, 4]]), 'image_unsupported'],
    ['a thousand bands', tiffOf(20, 10, [[277, 1_000]]), 'image_unsupported'],
    ['an unknown predictor', tiffOf(20, 10, [[317, 3]]), 'image_unsupported'],
    ['masks alone', tiffOf(20, 10, [[254, 4]]), 'image_damaged'],
  ])('with %s is not verified', (_, payload, code) => {
    expect(problemOf(payload)).toBe(code);
  });

  it('whose directories are a loop is damaged', () => {
    const payload = tiffOf(20, 10);
    const view = new DataView(payload.buffer);
    view.setUint32(payload.length - 4, view.getUint32(4, true), true);
    expect(problemOf(payload)).toBe('image_damaged');
  });

  it('with any bytes changed gives an end or a problem, and no other error', () => {
    const changes = fc.array(
      fc.tuple(fc.nat(SMALL.length - 1), fc.oneof(fc.constantFrom(0, 1, 255), fc.nat(255))),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(changes, fc.nat(SMALL.length), (edits, length) => {
        const payload = SMALL.slice();
        for (const [at, byte] of edits) payload[at] = byte;
        for (const each of [payload, payload.subarray(0, length)]) {
          const { problem } = run(each.slice());
          expect(problem).not.toBeNull();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has no error of another class', () => {
    expect(() => decompress(new Uint8Array([0x1f, 0x8b, 8, 0]))).toThrow(RasterProblem);
  });
});
