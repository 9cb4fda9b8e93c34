import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962, with SHA-256. Nothing here reads a store: the functions name the
 * hashes that a proof needs, and check a proof that was given.
 */

export const HASH_BYTES = 32;

const NODE_PREFIX = 0x01;
const LEAF_PREFIX = Buffer.from([0x00]);

/** The root of a tree without leaves: the hash of nothing. */
export const EMPTY_ROOT: Buffer = hash('sha256', '', 'buffer');

/** A proof has at most one hash for each bit of an index. */
export const PROOF_HASHES_MAX = 64;

export const leafHashOf = (entry: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([LEAF_PREFIX, entry]), 'buffer');

export const nodeHashOf = (left: Uint8Array, right: Uint8Array): Buffer => {
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return hash('sha256', input, 'buffer');
};

/**
 * The root of a complete subtree. Each level is hashed over the one below it, in its place.
 * @param hashes of the leaves or nodes of one level, concatenated; as many as a power of two
 */
export const rootOfHashes = (hashes: Uint8Array): Buffer => {
  const row = Buffer.from(hashes);
  const input = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);
  for (let nodes = row.length / HASH_BYTES / 2; nodes >= 1; nodes /= 2) {
    for (let node = 0; node < nodes; node += 1) {
      row.copy(input, 1, 2 * node * HASH_BYTES, 2 * (node + 1) * HASH_BYTES);
      // A string with a character for each byte costs a third of a buffer.
      row.write(hash('sha256', input, 'binary'), node * HASH_BYTES, 'latin1');
    }
  }
  return Buffer.from(row.subarray(0, HASH_BYTES));
};

/** A complete subtree: `2 ** level` leaves from `index * 2 ** level` on. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** The leaves from `begin` up to `end`, which is exclusive. */
export interface LeafRange {
  readonly begin: number;
  readonly end: number;
}

/** The largest power of two below `size`; `size` is at least 2. */
const splitOf = (size: number): number => {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
};

/**
 * The complete subtrees that make up a range, from left to right. The range begins at a multiple of
 * a power of two that is at least its length, as every range of a proof does.
 */
export const nodesOf = ({ begin, end }: LeafRange): readonly TreeNode[] => {
  const nodes: TreeNode[] = [];
  for (let from = begin; from < end;) {
    let level = 0;
    let width = 1;
    while (from + width * 2 <= end) {
      width *= 2;
      level += 1;
    }
    nodes.push({ level, index: from / width });
    from += width;
  }
  return nodes;
};

/** The hash of a range from the hashes of its nodes. */
export const foldNodes = (hashes: readonly Uint8Array[]): Buffer => {
  const last = hashes.at(-1);
  if (!last) return EMPTY_ROOT;
  return hashes
    .slice(0, -1)
    .reduceRight<Buffer>((right, left) => nodeHashOf(left, right), Buffer.from(last));
};

/**
 * The ranges whose hashes prove that the leaf is in the tree, from its sibling up to the child of
 * the root: `PATH` of section 2.1.1.
 * @throws RangeError for a leaf outside the tree
 */
export const inclusionRanges = (index: number, size: number): readonly LeafRange[] => {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} of ${size}`);
  const ranges: LeafRange[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      ranges.push({ begin: middle, end });
      end = middle;
    } else {
      ranges.push({ begin, end: middle });
      begin = middle;
    }
  }
  return ranges.reverse();
};

/**
 * The ranges whose hashes prove that the tree of `size` leaves begins with the tree of `oldSize`:
 * `PROOF` of section 2.1.2. Empty for two trees of one size and for an empty old tree.
 * @throws RangeError for an old tree that is larger
 */
export const consistencyRanges = (oldSize: number, size: number): readonly LeafRange[] => {
  if (!(oldSize >= 0 && oldSize <= size)) throw new RangeError(`tree ${oldSize} of ${size}`);
  if (oldSize === 0 || oldSize === size) return [];
  const ranges: LeafRange[] = [];
  let [begin, end] = [0, size];
  while (oldSize < end) {
    const middle = begin + splitOf(end - begin);
    if (oldSize <= middle) {
      ranges.push({ begin: middle, end });
      end = middle;
    } else {
      ranges.push({ begin, end: middle });
      begin = middle;
    }
  }
  // The verifier knows the hash of the old tree where that is a complete subtree on the left.
  if (begin > 0) ranges.push({ begin, end });
  return ranges.reverse();
};

const isOdd = (value: bigint): boolean => (value & 1n) === 1n;

/**
 * The root that the proof leads to, by section 2.1.3.2 of RFC 9162; undefined for a proof of the
 * wrong length.
 */
export const rootFromInclusion = (
  index: number,
  size: number,
  leafHash: Uint8Array,
  proof: readonly Uint8Array[],
): Buffer | undefined => {
  if (!(index >= 0 && index < size)) return undefined;
  let node = BigInt(index);
  let last = BigInt(size) - 1n;
  let root: Buffer = Buffer.from(leafHash);
  for (const sibling of proof) {
    if (last === 0n) return undefined;
    if (isOdd(node) || node === last) {
      root = nodeHashOf(sibling, root);
      while (!isOdd(node) && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      root = nodeHashOf(root, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? root : undefined;
};

export interface Inclusion {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

export const isIncluded = ({ index, size, leafHash, proof, root }: Inclusion): boolean =>
  rootFromInclusion(index, size, leafHash, proof)?.equals(root) === true;

export interface Consistency {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Whether the proof shows that the new tree begins with the old one: section 2.1.4.2. */
export const isConsistent = (claim: Consistency): boolean => {
  const { oldSize, size, proof } = claim;
  const oldRoot = Buffer.from(claim.oldRoot);
  if (oldSize === size) return proof.length === 0 && oldRoot.equals(claim.root);
  if (!(oldSize >= 0 && oldSize < size)) return false;
  if (oldSize === 0) return proof.length === 0 && oldRoot.equals(EMPTY_ROOT);
  let node = BigInt(oldSize) - 1n;
  let last = BigInt(size) - 1n;
  while (isOdd(node)) {
    node >>= 1n;
    last >>= 1n;
  }
  // The old tree is a complete subtree: the verifier knows its hash.
  const first = node === 0n ? oldRoot : proof[0];
  if (!first) return false;
  const rest = node === 0n ? proof : proof.slice(1);
  let older: Buffer = Buffer.from(first);
  let newer: Buffer = older;
  for (const sibling of rest) {
    if (last === 0n) return false;
    if (isOdd(node) || node === last) {
      older = nodeHashOf(sibling, older);
      newer = nodeHashOf(sibling, newer);
      while (!isOdd(node) && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      newer = nodeHashOf(newer, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n && older.equals(oldRoot) && newer.equals(claim.root);
};
