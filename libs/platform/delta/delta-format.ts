import { DeltaError } from './delta.error.js';

/** VCDIFF of RFC 3284, or BSDIFF40 of Colin Percival's bsdiff 4. */
export type DeltaFormat = 'vcdiff' | 'bsdiff40';

/** Enough of a delta to tell its format. */
export const MAGIC_BYTES = 8;

/** `VCD` with the high bits set. The fourth byte is the version. */
const VCDIFF = Buffer.from([0xd6, 0xc3, 0xc4]);
const BSDIFF40 = Buffer.from('BSDIFF40', 'latin1');

/** @throws DeltaError `unknown_format` */
export const deltaFormatOf = (start: Uint8Array): DeltaFormat => {
  const magic = Buffer.from(start);
  if (magic.subarray(0, VCDIFF.length).equals(VCDIFF)) return 'vcdiff';
  if (magic.subarray(0, BSDIFF40.length).equals(BSDIFF40)) return 'bsdiff40';
  const message = 'the delta is neither VCDIFF (RFC 3284) nor BSDIFF40: its first bytes say so';
  throw new DeltaError('unknown_format', message);
};
