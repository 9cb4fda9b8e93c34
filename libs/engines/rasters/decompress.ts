import { gunzipSync, inflateSync } from 'node:zlib';
import { RasterProblem, RastersError } from './rasters.errors.js';
import { CONTENT_BYTES_MAX, type RasterEnd } from './rasters.protocol.js';

export type Compression = RasterEnd['compression'];

/** By the first bytes: gzip (RFC 1952), zlib (RFC 1950), or none. */
export const compressionOf = (payload: Uint8Array): Compression => {
  const [first = 0, second = 0, third = 0] = payload;
  if (first === 0x1f && second === 0x8b && third === 8) return 'gzip';
  const isZlib = (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
  return isZlib && (second & 0x20) === 0 ? 'zlib' : 'none';
};

/**
 * The content of a payload. One layer is taken off.
 * @throws RastersError `payload_too_large`, after at most `bytesMax` bytes
 * @throws RasterProblem `compression_damaged`
 */
export const decompress = (payload: Uint8Array, bytesMax = CONTENT_BYTES_MAX): Uint8Array => {
  const compression = compressionOf(payload);
  if (compression === 'none') return payload;
  const options = { maxOutputLength: bytesMax };
  try {
    return compression === 'gzip' ? gunzipSync(payload, options) : inflateSync(payload, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      const detail = `the payload has more than ${bytesMax} bytes when it is decompressed`;
      throw new RastersError('payload_too_large', detail);
    }
    throw new RasterProblem('compression_damaged', `the ${compression} data is damaged`);
  }
};
