import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyDelta } from './apply-delta.js';
import { DeltaError } from './delta.error.js';
import { DeltaFolder, recordedVectors } from './delta.fixture.js';

const vectors = recordedVectors();
const deltas = vectors.flatMap(({ base, result, deltas: made }, pair) =>
  [...made].map(([name, delta]) => ({ name: `${name}, pair ${pair}`, base, result, delta })),
);
const digest = (algorithm: string, bytes: Buffer): string =>
  createHash(algorithm).update(bytes).digest('hex');

let folder: DeltaFolder;
beforeAll(() => {
  folder = new DeltaFolder();
});
afterAll(() => folder.close());

const apply = (base: Uint8Array, delta: Uint8Array, resultBytesMax?: number) =>
  applyDelta(folder.files(base, delta, resultBytesMax));

/** The code of the rejection; undefined where the delta is applied. */
const rejection = (base: Uint8Array, delta: Uint8Array, bytesMax?: number): string | undefined => {
  try {
    apply(base, delta, bytesMax);
    return undefined;
  } catch (error) {
    if (error instanceof DeltaError) return error.code;
    throw error;
  }
};

describe('a delta of xdelta3 or bsdiff', () => {
  it.each(deltas)('is applied as its program applies it: $name', ({ base, result, delta }) => {
    const applied = apply(base, delta);
    expect(folder.result().equals(result)).toBe(true);
    expect(applied).toEqual({
      format: delta.subarray(0, 8).toString('latin1') === 'BSDIFF40' ? 'bsdiff40' : 'vcdiff',
      bytes: result.length,
      sha256: digest('sha256', result),
      md5: digest('md5', result),
    });
    expect(readdirSync(folder.path).sort()).toEqual(['base', 'delta', 'result']);
  });

  it('is refused by name where it is compressed a second time', () => {
    const refused = vectors.flatMap(({ compressed }) =>
      [...compressed.values()].flatMap((delta) => {
        try {
          apply(Buffer.from('another base'), delta);
          return [];
        } catch (error) {
          return [(error as DeltaError).message];
        }
      }),
    );
    expect(refused.length).toBeGreaterThanOrEqual(vectors.length);
    for (const name of ['lzma', 'djw']) {
      expect(refused.some((message) => message.includes(`(${name})`))).toBe(true);
    }
    expect(refused[0]).toContain('xdelta3 -S none');
  });

  it('is refused above the limit of the result, and applied at it', () => {
    for (const { base, result, delta } of deltas) {
      expect(rejection(base, delta, result.length - 1)).toBe('too_large');
      expect(rejection(base, delta, result.length)).toBeUndefined();
    }
  });

  it('with checksums is refused with another base of the same size', () => {
    const base = vectors[1]?.base ?? Buffer.of();
    const delta = vectors[1]?.deltas.get('xdelta3 -S none') ?? Buffer.of();
    const other = Buffer.from(base);
    other.fill(7, 0, 2_000);
    expect(rejection(other, delta)).toBe('base_mismatch');
    expect(rejection(base.subarray(0, 1_000), delta)).toBe('base_mismatch');
  });

  it('is refused at every length that is not its own', () => {
    for (const { base, delta } of deltas.filter(({ name }) => name.endsWith('pair 1'))) {
      for (let length = 0; length < delta.length; length += 17) {
        // A delta of several windows may end after one; its result is then shorter.
        const code = rejection(base, delta.subarray(0, length));
        if (delta.length < 8_000) expect([code, length]).not.toEqual([undefined, length]);
      }
    }
  });

  it('is never more than applied or refused, whatever its bytes are', () => {
    const change = fc.record({ at: fc.nat(), to: fc.integer({ min: 0, max: 255 }) });
    const changes = fc.array(change, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...deltas), changes, ({ base, delta }, made) => {
        const changed = Buffer.from(delta);
        for (const { at, to } of made) changed[at % delta.length] = to;
        const limit = 40_000;
        if (rejection(base, changed, limit) === undefined) {
          expect(folder.result().length).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('bytes that are no delta', () => {
  it.each([
    ['nothing', Buffer.of(), 'malformed'],
    ['text', Buffer.from('hello, world'), 'unknown_format'],
    ['half a magic', Buffer.of(0xd6, 0xc3), 'unknown_format'],
    ['the version of SDCH', Buffer.of(0xd6, 0xc3, 0xc4, 0x53, 0), 'unsupported'],
    ['a code table of its own', Buffer.of(0xd6, 0xc3, 0xc4, 0, 2), 'unsupported'],
    ['unknown bits', Buffer.of(0xd6, 0xc3, 0xc4, 0, 8), 'malformed'],
    ['a bare header of bsdiff', Buffer.from('BSDIFF40'), 'malformed'],
  ])('are refused: %s', (_, bytes, code) => {
    expect(rejection(Buffer.from('base'), bytes)).toBe(code);
  });
});
