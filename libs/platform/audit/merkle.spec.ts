import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Frontier } from './frontier.js';
import {
  consistencyRanges,
  EMPTY_ROOT,
  foldNodes,
  inclusionRanges,
  isConsistent,
  isIncluded,
  type LeafRange,
  leafHashOf,
  nodeHashOf,
  nodesOf,
} from './merkle.js';

/** The leaves of the reference tests of RFC 6962 in certificate-transparency. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));

const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** `PATH` of these leaves: [index from 0, size, hashes]. */
const PATHS: readonly (readonly [number, number, readonly string[]])[] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

/** `PROOF` of these leaves: [old size, size, hashes]. */
const PROOFS: readonly (readonly [number, number, readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** `MTH` as section 2.1 defines it. */
const definition = (hashes: readonly Buffer[]): Buffer => {
  const [first] = hashes;
  if (!first) return EMPTY_ROOT;
  if (hashes.length === 1) return first;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHashOf(definition(hashes.slice(0, split)), definition(hashes.slice(split)));
};

const tree = (count: number): readonly Buffer[] =>
  Array.from({ length: count }, (_, index) => leafHashOf(Buffer.from(`leaf ${index}`)));

/** The hash of a range, by its complete subtrees. */
const hashIn =
  (leaves: readonly Buffer[]) =>
  (range: LeafRange): Buffer =>
    foldNodes(
      nodesOf(range).map(({ level, index }) =>
        definition(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
      ),
    );

const inclusionOf = (leaves: readonly Buffer[], index: number) => ({
  index,
  size: leaves.length,
  leafHash: leaves[index] ?? EMPTY_ROOT,
  proof: inclusionRanges(index, leaves.length).map(hashIn(leaves)),
  root: definition(leaves),
});

const consistencyOf = (leaves: readonly Buffer[], oldSize: number) => ({
  oldSize,
  oldRoot: definition(leaves.slice(0, oldSize)),
  size: leaves.length,
  root: definition(leaves),
  proof: consistencyRanges(oldSize, leaves.length).map(hashIn(leaves)),
});

const flipped = (bytes: Uint8Array, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
};

/** Every proof with one bit of one hash flipped, a hash left out, doubled or added. */
const liesOf = (proof: readonly Buffer[]): readonly (readonly Buffer[])[] => [
  ...proof.flatMap((hash, at) =>
    Array.from({ length: hash.length * 8 }, (_, bit) => proof.with(at, flipped(hash, bit))),
  ),
  ...proof.map((_, at) => proof.toSpliced(at, 1)),
  ...proof.map((hash, at) => proof.toSpliced(at, 0, hash)),
  [...proof, EMPTY_ROOT],
];

describe('the tree of RFC 6962', () => {
  const leaves = LEAVES.map(leafHashOf);

  it('has the known roots', () => {
    const frontier = new Frontier();
    expect(hex(frontier.root())).toBe(hex(EMPTY_ROOT));
    const roots = leaves.map((leaf) => {
      frontier.push(leaf);
      return hex(frontier.root());
    });
    expect(roots).toEqual(ROOTS);
    expect(leaves.map((_, index) => hex(definition(leaves.slice(0, index + 1))))).toEqual(ROOTS);
  });

  it.each(PATHS)('has the known inclusion proof of leaf %i in %i', (index, size, hashes) => {
    const claim = inclusionOf(leaves.slice(0, size), index);
    expect(claim.proof.map(hex)).toEqual(hashes);
    expect(isIncluded(claim)).toBe(true);
  });

  it.each(PROOFS)('has the known consistency proof of %i and %i', (oldSize, size, hashes) => {
    const claim = consistencyOf(leaves.slice(0, size), oldSize);
    expect(claim.proof.map(hex)).toEqual(hashes);
    expect(isConsistent(claim)).toBe(true);
  });

  it('proves every leaf and every older tree, up to 70 leaves', () => {
    const all = tree(70);
    for (let size = 1; size <= all.length; size += 1) {
      const some = all.slice(0, size);
      for (let index = 0; index < size; index += 1) {
        expect(isIncluded(inclusionOf(some, index))).toBe(true);
        expect(isConsistent(consistencyOf(some, index))).toBe(true);
      }
      expect(isConsistent(consistencyOf(some, size))).toBe(true);
    }
  });

  it('rejects every proof that lies about one bit, or has a hash too many or too few', () => {
    for (const [size, index] of [
      [1, 0],
      [8, 3],
      [13, 12],
      [21, 16],
    ] as const) {
      const claim = inclusionOf(tree(size), index);
      for (const proof of liesOf(claim.proof)) expect(isIncluded({ ...claim, proof })).toBe(false);
      for (let bit = 0; bit < 256; bit += 1) {
        expect(isIncluded({ ...claim, leafHash: flipped(claim.leafHash, bit) })).toBe(false);
        expect(isIncluded({ ...claim, root: flipped(claim.root, bit) })).toBe(false);
      }
    }
  });

  it('rejects every lie about an older tree', () => {
    for (const [oldSize, size] of [
      [1, 2],
      [4, 8],
      [6, 13],
      [20, 21],
      [8, 8],
    ] as const) {
      const claim = consistencyOf(tree(size), oldSize);
      for (const proof of liesOf(claim.proof)) {
        expect(isConsistent({ ...claim, proof })).toBe(false);
      }
      for (let bit = 0; bit < 256; bit += 1) {
        expect(isConsistent({ ...claim, oldRoot: flipped(claim.oldRoot, bit) })).toBe(false);
        expect(isConsistent({ ...claim, root: flipped(claim.root, bit) })).toBe(false);
      }
    }
  });

  it('accepts no lying prover: another leaf, another index, another size', () => {
    const sizes = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(sizes, sizes, fc.nat(299), fc.nat(299), (size, other, at, claimed) => {
        const claim = inclusionOf(tree(size), at % size);
        const index = claimed % size;
        expect(isIncluded({ ...claim, index })).toBe(index === claim.index);
        const grown = { ...claim, size: other };
        // A proof of the same shape does not fit the root of another tree.
        const root = definition(tree(other));
        expect(isIncluded({ ...grown, root })).toBe(other === size);
      }),
      { numRuns: 150 },
    );
  });

  it('rejects leaves outside the tree and older trees that are larger', () => {
    const claim = inclusionOf(tree(5), 4);
    for (const index of [-1, 5, Number.NaN]) expect(isIncluded({ ...claim, index })).toBe(false);
    expect(() => inclusionRanges(5, 5)).toThrow(RangeError);
    expect(() => consistencyRanges(6, 5)).toThrow(RangeError);
    expect(isConsistent({ ...consistencyOf(tree(5), 5), oldSize: 6 })).toBe(false);
  });

  it('has indexes beyond 32 bits', () => {
    const size = 2 ** 40 + 3;
    expect(inclusionRanges(2 ** 40, size)).toHaveLength(3);
    expect(nodesOf({ begin: 0, end: size })).toEqual([
      { level: 40, index: 0 },
      { level: 1, index: 2 ** 39 },
      { level: 0, index: 2 ** 40 + 2 },
    ]);
  });
});
