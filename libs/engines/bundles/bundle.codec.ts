import {
  type Bundle,
  BLOCK_TYPES,
  BUNDLE_FLAGS,
  type CanonicalBlock,
  type FragmentPlace,
  PAYLOAD_NUMBER,
  type PrimaryBlock,
} from './bundle.js';
import { BundleError } from './bundles.errors.js';
import { CborReader, CborWriter } from './cbor.js';
import { CRC_BYTES, crcOfBlock, type CrcType } from './crc.js';
import { decodeEid, DTN_NONE, writeEid } from './endpoint-id.js';

const VERSION = 7;
export const BUNDLE_BYTES_MAX = 16_777_216;
export const BLOCKS_MAX = 64;

/** Around the payloads, unless endpoints are long. */
const BYTES_AROUND = 256;
const BYTES_AROUND_BLOCK = 32;

/** The whole bundle on the wire. @throws BundleError */
export const encodeBundle = (bundle: Bundle): Uint8Array => {
  checkRules(bundle);
  const { primary, blocks } = bundle;
  const ofBlocks = blocks.reduce((sum, { data }) => sum + data.length + BYTES_AROUND_BLOCK, 0);
  const writer = new CborWriter(BYTES_AROUND + ofBlocks).startIndefiniteArray();
  writePrimary(writer, primary);
  for (const block of blocks) writeBlock(writer, block);
  return writer.endIndefiniteArray().written();
};

/**
 * Reads a bundle strictly: what is read is encoded with the same bytes. Payloads are views of the
 * input.
 * @throws BundleError
 */
export const decodeBundle = (input: Uint8Array): Bundle => {
  if (input.length > BUNDLE_BYTES_MAX) {
    throw new BundleError('too_large', `a bundle has at most ${BUNDLE_BYTES_MAX} bytes`);
  }
  const reader = new CborReader(input);
  reader.startIndefiniteArray();
  const primary = decodePrimary(reader, input);
  const blocks: CanonicalBlock[] = [];
  while (!reader.ends()) {
    if (blocks.length === BLOCKS_MAX) {
      throw new BundleError('too_large', `a bundle has at most ${BLOCKS_MAX} blocks`);
    }
    blocks.push(decodeBlock(reader, input));
  }
  reader.finish();
  const bundle = { primary, blocks };
  checkRules(bundle);
  return bundle;
};

/** Security blocks sign it, too. */
export const writePrimary = (writer: CborWriter, primary: PrimaryBlock): void => {
  const { flags, crcType, destination, source, reportTo, created, lifetimeMs, fragment } = primary;
  const start = writer.length;
  writer.array(8 + (fragment === null ? 0 : 2) + (crcType === 0 ? 0 : 1));
  writer.uint(VERSION).uint(flags).uint(crcType);
  for (const eid of [destination, source, reportTo]) writeEid(writer, eid);
  writer.array(2).uint(created.timeMs).uint(created.sequence).uint(lifetimeMs);
  if (fragment) writer.uint(fragment.offset).uint(fragment.total);
  if (crcType !== 0) writer.crc(crcType, start);
};

const writeBlock = (writer: CborWriter, block: CanonicalBlock): void => {
  const { type, number, flags, crcType, data } = block;
  const start = writer.length;
  writer.array(crcType === 0 ? 5 : 6);
  writer.uint(type).uint(number).uint(flags).uint(crcType).bytes(data);
  if (crcType !== 0) writer.crc(crcType, start);
};

const decodePrimary = (reader: CborReader, input: Uint8Array): PrimaryBlock => {
  const start = reader.position;
  const length = reader.arrayOf(8, 9, 10, 11);
  if (reader.uint() !== VERSION) throw new BundleError('unsupported', 'a version other than 7');
  const flags = reader.uint();
  const crcType = crcTypeOf(reader.uint());
  const isFragment = (flags & BUNDLE_FLAGS.isFragment) !== 0;
  if (length !== 8 + (isFragment ? 2 : 0) + (crcType === 0 ? 0 : 1)) {
    throw new BundleError('malformed', `the primary block has ${length} items`);
  }
  const [destination, source, reportTo] = [decodeEid(reader), decodeEid(reader), decodeEid(reader)];
  reader.arrayOf(2);
  const created = { timeMs: reader.uint(), sequence: reader.uint() };
  const lifetimeMs = reader.uint();
  const fragment = isFragment ? { offset: reader.uint(), total: reader.uint() } : null;
  checkCrc(reader, crcType, input, start);
  return { flags, crcType, destination, source, reportTo, created, lifetimeMs, fragment };
};

const decodeBlock = (reader: CborReader, input: Uint8Array): CanonicalBlock => {
  const start = reader.position;
  const length = reader.arrayOf(5, 6);
  const [type, number, flags] = [reader.uint(), reader.uint(), reader.uint()];
  const crcType = crcTypeOf(reader.uint());
  if (length !== (crcType === 0 ? 5 : 6)) {
    throw new BundleError('malformed', `block ${number} has ${length} items`);
  }
  const data = reader.bytes();
  checkCrc(reader, crcType, input, start);
  return { type, number, flags, crcType, data };
};

const crcTypeOf = (number: number): CrcType => {
  if (number === 0 || number === 1 || number === 2) return number;
  throw new BundleError('unsupported', `CRC type ${number}`);
};

const checkCrc = (reader: CborReader, type: CrcType, input: Uint8Array, start: number): void => {
  if (type === 0) return;
  const value = reader.bytes();
  if (value.length !== CRC_BYTES[type]) {
    throw new BundleError('malformed', `a CRC of ${value.length} bytes`);
  }
  const expected = crcOfBlock(type, input, start, reader.position - value.length);
  if (value.reduce((number, byte) => number * 256 + byte, 0) !== expected) {
    throw new BundleError('crc_mismatch', `the CRC of the block at byte ${start} is wrong`);
  }
};

const REPORTS =
  BUNDLE_FLAGS.reportReception |
  BUNDLE_FLAGS.reportForwarding |
  BUNDLE_FLAGS.reportDelivery |
  BUNDLE_FLAGS.reportDeletion;

/** The rules of RFC 9171 that concern more than one field. */
const checkRules = ({ primary, blocks }: Bundle): void => {
  const { flags, source, fragment } = primary;
  const isFragment = (flags & BUNDLE_FLAGS.isFragment) !== 0;
  demand(isFragment === (fragment !== null), 'a fragment has a place, and nothing else has');
  demand(!isFragment || (flags & BUNDLE_FLAGS.mustNotFragment) === 0, 'it must not be a fragment');
  const isSilent = (flags & REPORTS) === 0;
  demand((flags & BUNDLE_FLAGS.isAdministrative) === 0 || isSilent, 'no reports of a report');
  demand(
    source !== DTN_NONE || (isSilent && (flags & BUNDLE_FLAGS.mustNotFragment) !== 0),
    'a bundle without a source has no reports and no fragments',
  );
  const numbers = new Set(blocks.map(({ number }) => number));
  demand(numbers.size === blocks.length && !numbers.has(0), 'numbers of blocks are unique');
  const payloads = blocks.filter(({ type }) => type === BLOCK_TYPES.payload);
  demand(
    payloads.length === 1 &&
      blocks.at(-1)?.type === BLOCK_TYPES.payload &&
      blocks.at(-1)?.number === PAYLOAD_NUMBER,
    'the last block is the payload, with number 1',
  );
  if (fragment) checkPlace(fragment, payloads[0]?.data.length ?? 0);
};

const checkPlace = ({ offset, total }: FragmentPlace, length: number): void => {
  demand(offset + length <= total, 'a fragment ends within the whole payload');
};

const demand = (holds: boolean, rule: string): void => {
  if (!holds) throw new BundleError('malformed', `the bundle breaks a rule: ${rule}`);
};
