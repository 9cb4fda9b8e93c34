import { DeltaError, malformed } from '../delta.error.js';
import { ByteCursor } from './byte-cursor.js';
import { type DeltaStream } from './delta-stream.js';
import { type Compressor, rejectCompressed } from './vcdiff.header.js';

const VCD_SOURCE = 0x01;
const VCD_TARGET = 0x02;
/** An extension of xdelta3: the checksum of the window's result. */
const VCD_ADLER32 = 0x04;
const ADLER_BYTES = 4;

/** The largest output of a window, and the largest size of its sections in memory. */
export const WINDOW_BYTES_MAX = 64 * 1_024 ** 2;

/** A part of the base, or of the result so far, that the copies of a window read. */
export interface Segment {
  readonly of: 'base' | 'result';
  readonly position: number;
  readonly length: number;
}

/** One window of a delta (RFC 3284, section 4.2). */
export interface Window {
  readonly segment: Segment;
  readonly targetBytes: number;
  /** Of the result of the window; null where the delta has none. */
  readonly adler32: number | null;
  readonly data: ByteCursor;
  readonly instructions: ByteCursor;
  readonly addresses: ByteCursor;
}

/** @throws DeltaError `malformed`, `unsupported`, `too_large` */
export const readWindow = (delta: DeltaStream, compressor: Compressor): Window => {
  const indicator = delta.byte();
  if ((indicator & ~(VCD_SOURCE | VCD_TARGET | VCD_ADLER32)) !== 0) {
    malformed('a window has unknown bits');
  }
  const segment = readSegment(delta, indicator);
  const encoded = delta.integer();
  demandSize(encoded);
  const end = delta.left - encoded;
  const targetBytes = delta.integer();
  demandSize(targetBytes);
  if (delta.byte() !== 0) rejectCompressed(compressor);
  const [data, instructions, addresses] = [delta.integer(), delta.integer(), delta.integer()];
  const sum = (indicator & VCD_ADLER32) === 0 ? null : delta.take(ADLER_BYTES).readUInt32BE();
  if (delta.left - data - instructions - addresses !== end) {
    malformed('the lengths of a window contradict each other');
  }
  return {
    segment,
    targetBytes,
    adler32: sum,
    data: new ByteCursor(delta.take(data), 'data'),
    instructions: new ByteCursor(delta.take(instructions), 'instruction'),
    addresses: new ByteCursor(delta.take(addresses), 'address'),
  };
};

const readSegment = (delta: DeltaStream, indicator: number): Segment => {
  const isOfBase = (indicator & VCD_SOURCE) !== 0;
  const isOfResult = (indicator & VCD_TARGET) !== 0;
  if (isOfBase && isOfResult) malformed('a window copies from the base and from the result');
  if (!isOfBase && !isOfResult) return { of: 'base', position: 0, length: 0 };
  const length = delta.integer();
  const position = delta.integer();
  return { of: isOfBase ? 'base' : 'result', position, length };
};

const demandSize = (bytes: number): void => {
  if (bytes <= WINDOW_BYTES_MAX) return;
  const message = `a window of the delta has more than ${WINDOW_BYTES_MAX} bytes`;
  throw new DeltaError('too_large', message);
};
