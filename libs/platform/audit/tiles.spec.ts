import { describe, expect, it } from '@jest/globals';
import { encodeTileIndex, hashesAt, parseTilePath, tileOf } from './tiles.js';

describe('tile paths', () => {
  it.each([
    [0, '000'],
    [67, '067'],
    [999, '999'],
    [1_000, 'x001/000'],
    [1_234_067, 'x001/x234/067'],
    [999_999_999_999_999, 'x999/x999/x999/x999/999'],
  ])('writes index %i as %s', (index, path) => {
    expect(encodeTileIndex(index)).toBe(path);
    expect(parseTilePath(`63/${path}`)).toEqual({ level: 63, index, width: 256 });
    expect(parseTilePath(`0/${path}.p/17`)).toEqual({ level: 0, index, width: 17 });
  });

  it.each([
    '',
    '0',
    '0/',
    '0/0',
    '0/00',
    '0/0000',
    '00/000',
    '64/000',
    '-1/000',
    '0/x000/000',
    '0/001/000',
    '0/x001/x000',
    '0/x001',
    '0/x1/000',
    '0/000.p',
    '0/000.p/',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    '0/000.p/1/2',
    '0/000/',
    '0/x001/x001/x001/x001/x001/000',
    'entries/000',
    '0/000 ',
  ])('rejects %j', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});

describe('tiles', () => {
  it('are as many as in the example of the specification', () => {
    const widths = (level: number) => {
      const hashes = hashesAt(level, 70_000);
      return [Math.floor(hashes / 256), hashes % 256];
    };
    expect([0, 1, 2, 3].map(widths)).toEqual([
      [273, 112],
      [1, 17],
      [0, 1],
      [0, 0],
    ]);
    expect([0, 1, 2].map((level) => hashesAt(level, 256))).toEqual([256, 1, 0]);
  });

  it('hold each complete subtree', () => {
    expect(tileOf({ level: 0, index: 300 })).toEqual({ level: 0, index: 1, from: 44, to: 45 });
    expect(tileOf({ level: 3, index: 33 })).toEqual({ level: 0, index: 1, from: 8, to: 16 });
    expect(tileOf({ level: 8, index: 5 })).toEqual({ level: 1, index: 0, from: 5, to: 6 });
    expect(tileOf({ level: 15, index: 1 })).toEqual({ level: 1, index: 0, from: 128, to: 256 });
    expect(tileOf({ level: 16, index: 0 })).toEqual({ level: 2, index: 0, from: 0, to: 1 });
  });
});
