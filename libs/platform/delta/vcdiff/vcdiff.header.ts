import { DeltaError, malformed } from '../delta.error.js';
import { type DeltaStream } from './delta-stream.js';

const MAGIC_BYTES = 3;
const VERSION = 0;
const VCD_DECOMPRESS = 0x01;
const VCD_CODETABLE = 0x02;
/** An extension of xdelta3: a comment follows, such as the names of both files. */
const VCD_APPHEADER = 0x04;

/** The ids that xdelta3 gives its secondary compressors. */
const COMPRESSORS: Readonly<Record<number, string>> = { 1: 'djw', 2: 'lzma', 16: 'fgk' };

/** The name of the secondary compressor that windows may use, or null. */
export type Compressor = string | null;

/**
 * Reads the header of a delta (RFC 3284, section 4.1).
 * @throws DeltaError `malformed`, `unsupported`
 */
export const readHeader = (delta: DeltaStream): Compressor => {
  delta.skip(MAGIC_BYTES);
  const version = delta.byte();
  if (version !== VERSION) {
    throw new DeltaError('unsupported', `version ${version} of VCDIFF is not supported`);
  }
  const indicator = delta.byte();
  if ((indicator & ~(VCD_DECOMPRESS | VCD_CODETABLE | VCD_APPHEADER)) !== 0) {
    malformed('the header has unknown bits');
  }
  const compressor = (indicator & VCD_DECOMPRESS) === 0 ? null : compressorOf(delta.byte());
  if ((indicator & VCD_CODETABLE) !== 0) {
    throw new DeltaError('unsupported', 'a code table of its own is not supported in a delta');
  }
  if ((indicator & VCD_APPHEADER) !== 0) delta.skip(delta.integer());
  return compressor;
};

const compressorOf = (id: number): string => COMPRESSORS[id] ?? `number ${id}`;

/** @throws DeltaError `unsupported` */
export const rejectCompressed = (compressor: Compressor): never => {
  const message =
    `the delta is compressed a second time (${compressor ?? 'by an undeclared compressor'}), ` +
    'which is not supported: make it with xdelta3 -S none';
  throw new DeltaError('unsupported', message);
};
