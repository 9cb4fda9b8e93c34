import {
  BLOCK_FLAGS,
  type Bundle,
  BUNDLE_FLAGS,
  PAYLOAD_NUMBER,
  payloadOf,
  type PrimaryBlock,
} from './bundle.js';
import { encodeBundle } from './bundle.codec.js';
import { BundleError } from './bundles.errors.js';

/** Of one bundle. */
export const FRAGMENTS_MAX = 10_000;
/** The heads of the payload's byte string and of the place, and the CRC of the payload. */
const OVERHEAD_BYTES = 64;

/**
 * A bundle in parts of at most so many bytes on the wire; the bundle itself where it fits.
 * @throws BundleError `unsupported` for a bundle that must not be divided, or not so far
 */
export const fragmentsOf = (bundle: Bundle, bytesMax: number): readonly Bundle[] => {
  if (encodeBundle(bundle).length <= bytesMax) return [bundle];
  const { primary, blocks } = bundle;
  if ((primary.flags & BUNDLE_FLAGS.mustNotFragment) !== 0) {
    throw new BundleError('unsupported', 'the bundle must not be divided');
  }
  const payload = payloadOf(bundle);
  const empty = encodeBundle(partOf(bundle, 0, 0, true)).length;
  const share = bytesMax - empty - OVERHEAD_BYTES;
  if (share < 1 || payload.length / share > FRAGMENTS_MAX) {
    throw new BundleError('unsupported', `parts of ${bytesMax} bytes are too small`);
  }
  const count = Math.ceil(payload.length / share);
  return Array.from({ length: count }, (_, n) =>
    partOf({ primary, blocks }, n * share, (n + 1) * share, n === 0),
  );
};

/** Blocks that need not be in every fragment are in the first. */
const partOf = (
  { primary, blocks }: Bundle,
  start: number,
  end: number,
  isFirst: boolean,
): Bundle => {
  const payload = payloadOf({ primary, blocks });
  const before = primary.fragment ?? { offset: 0, total: payload.length };
  return {
    primary: {
      ...primary,
      flags: primary.flags | BUNDLE_FLAGS.isFragment,
      fragment: { offset: before.offset + start, total: before.total },
    },
    blocks: blocks
      .filter(
        ({ number, flags }) =>
          isFirst || number === PAYLOAD_NUMBER || (flags & BLOCK_FLAGS.replicate) !== 0,
      )
      .map((block) =>
        block.number === PAYLOAD_NUMBER ? { ...block, data: payload.slice(start, end) } : block,
      ),
  };
};

const isOfOneBundle = (one: PrimaryBlock, other: PrimaryBlock): boolean =>
  one.source === other.source &&
  one.created.timeMs === other.created.timeMs &&
  one.created.sequence === other.created.sequence &&
  one.fragment?.total === other.fragment?.total;

interface Part {
  readonly bundle: Bundle;
  readonly offset: number;
  readonly data: Uint8Array;
}

/**
 * The whole bundle, or null while a part is missing. Parts may overlap and come in any order.
 * @throws BundleError `fragments_mismatch` for parts of several bundles, or with unlike contents
 */
export const reassembled = (fragments: readonly Bundle[]): Bundle | null => {
  const parts = fragments.map(placed).toSorted((one, other) => one.offset - other.offset);
  const [first] = parts;
  if (!first) return null;
  const { primary, blocks } = first.bundle;
  if (!parts.every(({ bundle }) => isOfOneBundle(primary, bundle.primary))) {
    throw new BundleError('fragments_mismatch', 'the fragments are of several bundles');
  }
  const total = primary.fragment?.total ?? 0;
  // The total is a claim of the sender: memory is taken once every byte of it is here.
  if (reachOf(parts) < total) return null;
  const whole = new Uint8Array(total);
  let reached = 0;
  for (const { offset, data } of parts) {
    const known = whole.subarray(offset, Math.min(reached, offset + data.length));
    if (!known.every((byte, at) => byte === data[at])) {
      throw new BundleError('fragments_mismatch', 'two fragments contradict each other');
    }
    whole.set(data, offset);
    reached = Math.max(reached, offset + data.length);
  }
  return {
    primary: { ...primary, flags: primary.flags & ~BUNDLE_FLAGS.isFragment, fragment: null },
    blocks: blocks.map((block) =>
      block.number === PAYLOAD_NUMBER ? { ...block, data: whole } : block,
    ),
  };
};

const placed = (bundle: Bundle): Part => {
  const { fragment } = bundle.primary;
  if (fragment) return { bundle, offset: fragment.offset, data: payloadOf(bundle) };
  throw new BundleError('fragments_mismatch', 'a whole bundle is no fragment');
};

/** How far the payload is known from its start without a gap. */
const reachOf = (ordered: readonly Part[]): number => {
  let reached = 0;
  for (const { offset, data } of ordered) {
    if (offset > reached) return reached;
    reached = Math.max(reached, offset + data.length);
  }
  return reached;
};
