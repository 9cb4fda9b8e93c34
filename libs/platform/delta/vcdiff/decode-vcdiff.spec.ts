import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyDelta } from '../apply-delta.js';
import { type DeltaError } from '../delta.error.js';
import { DeltaFolder } from '../delta.fixture.js';
import { adler32 } from './adler32.js';
import { CODE_TABLE } from './code-table.js';
import { WINDOW_BYTES_MAX } from './vcdiff.window.js';

const HEADER = [0xd6, 0xc3, 0xc4, 0, 0];

const integer = (value: number): number[] => {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(128 + (rest % 128));
  }
  return digits;
};

interface WindowBytes {
  readonly indicator?: number;
  readonly segment?: readonly [length: number, position: number];
  readonly target: number;
  readonly data?: readonly number[];
  readonly instructions: readonly number[];
  readonly addresses?: readonly number[];
}

/** A window as RFC 3284 has it, written by hand. */
const windowOf = (given: WindowBytes): number[] => {
  const { indicator = 0, segment, target, data = [], instructions, addresses = [] } = given;
  const sections = [data, instructions, addresses];
  const body = [
    ...integer(target),
    0,
    ...sections.flatMap(({ length }) => integer(length)),
    ...sections.flat(),
  ];
  const source = segment ? [...integer(segment[0]), ...integer(segment[1])] : [];
  return [indicator, ...source, ...integer(body.length), ...body];
};

let folder: DeltaFolder;
beforeAll(() => {
  folder = new DeltaFolder();
});
afterAll(() => folder.close());

const apply = (base: string, ...windows: readonly number[][]): string => {
  applyDelta(folder.files(Buffer.from(base), Buffer.from([...HEADER, ...windows.flat()])));
  return folder.result().toString('latin1');
};

const rejected = (base: string, ...windows: readonly number[][]): string => {
  try {
    apply(base, ...windows);
  } catch (error) {
    return (error as DeltaError).code;
  }
  return 'applied';
};

describe('a delta without a window', () => {
  it('is refused, with and without the comment of xdelta3; an empty window is applied', () => {
    const headers = [HEADER, [...HEADER.slice(0, 4), 4, 3, 97, 47, 98]];
    for (const header of headers) {
      const files = folder.files(Buffer.from('base'), Buffer.from(header));
      expect(() => applyDelta(files)).toThrow('the delta ends after its header');
    }
    expect(apply('base', windowOf({ target: 0, instructions: [] }))).toBe('');
  });
});

const ADD_3 = 1 + 3;
const RUN = 0;
/** COPY of a size that follows, in the modes SELF and HERE. */
const COPY_SELF = 19;
const COPY_HERE = 35;

describe('the code table', () => {
  it('is the code table of RFC 3284, section 5.6', () => {
    expect(CODE_TABLE).toHaveLength(256);
    const shown = [18, 19, 162, 163, 234, 235, 246, 247, 255].map((code) => {
      const { type1, size1, mode1, type2, size2, mode2 } = CODE_TABLE[code] ?? { type1: -1 };
      return [code, type1, size1, mode1, type2, size2, mode2].join(' ');
    });
    expect(shown).toEqual([
      '18 1 17 0 0 0 0',
      '19 3 0 0 0 0 0',
      '162 3 18 8 0 0 0',
      '163 1 1 0 3 4 0',
      '234 1 4 0 3 6 5',
      '235 1 1 0 3 4 6',
      '246 1 4 0 3 4 8',
      '247 3 4 0 1 1 0',
      '255 3 4 8 1 1 0',
    ]);
  });
});

describe('Adler-32', () => {
  it('decodes the examples of its literature', () => {
    expect(adler32(Buffer.from('Wikipedia'))).toBe(0x11e60398);
    expect(adler32(Buffer.alloc(0))).toBe(1);
    expect(adler32(Buffer.alloc(100_000, 255))).toBe(0x149a302c);
  });
});

describe('a window', () => {
  it('adds, runs, and copies from the base and from itself', () => {
    const window = windowOf({
      indicator: 1,
      segment: [4, 2],
      target: 3 + 4 + 4 + 6,
      data: [65, 66, 67, 90],
      instructions: [ADD_3, RUN, 4, COPY_SELF, 4, COPY_SELF, 6],
      addresses: [0, 4 + 3 + 4 + 4 - 2],
    });
    // The last copy overlaps what it makes.
    expect(apply('..base..', window)).toBe('ABCZZZZbasesesese');
  });

  it('copies from the end of the base on into what it makes', () => {
    const window = windowOf({
      indicator: 1,
      segment: [4, 0],
      target: 6,
      instructions: [COPY_HERE, 6],
      addresses: [2],
    });
    expect(apply('base', window)).toBe('sesese');
  });

  it('copies from the windows before it', () => {
    const first = windowOf({ target: 3, data: [97, 98, 99], instructions: [ADD_3] });
    const second = windowOf({
      indicator: 2,
      segment: [2, 1],
      target: 2,
      instructions: [COPY_SELF, 2],
      addresses: [0],
    });
    expect(apply('', first, second)).toBe('abcbc');
  });

  it.each<[string, string, WindowBytes]>([
    ['makes more than it declares', 'malformed', { target: 2, data: [1, 2, 3], instructions: [4] }],
    ['makes less', 'malformed', { target: 4, data: [1, 2, 3], instructions: [4] }],
    ['leaves data', 'malformed', { target: 3, data: [1, 2, 3, 4], instructions: [4] }],
    ['lacks data', 'malformed', { target: 3, data: [1, 2], instructions: [4] }],
    ['copies from the future', 'malformed', { target: 4, instructions: [20], addresses: [0] }],
    ['lacks an address', 'malformed', { target: 4, instructions: [20] }],
    ['has unknown bits', 'malformed', { indicator: 8, target: 0, instructions: [] }],
    ['has two sources', 'malformed', { indicator: 3, target: 0, instructions: [] }],
    ['is too large', 'too_large', { target: WINDOW_BYTES_MAX + 1, instructions: [] }],
    ['repeats endlessly', 'too_large', { target: 2 ** 21, instructions: [RUN], data: [1] }],
    [
      'reads beyond the base',
      'base_mismatch',
      { indicator: 1, segment: [9, 0], target: 0, instructions: [] },
    ],
    [
      'reads beyond the result',
      'malformed',
      { indicator: 2, segment: [9, 0], target: 0, instructions: [] },
    ],
  ])('is refused when it %s', (_, code, window) => {
    expect(rejected('base', windowOf(window))).toBe(code);
  });

  it('is refused with an integer beyond 2^53', () => {
    expect(rejected('base', [1, ...Array.from({ length: 9 }, () => 0xff), 0x7f])).toBe('malformed');
  });
});
