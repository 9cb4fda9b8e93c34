import { z } from 'zod';
import { HomomorphicError } from './homomorphic.errors.js';
import { PARAMETER_SET_NAMES, type ParameterSetName } from './parameter-sets.js';

/**
 * The file of evaluation keys: `QFHE1`, a length of 4 bytes in big endian, a header as JSON, then
 * its parts as Microsoft SEAL serializes them. It has no part for a secret key.
 */
const MAGIC = Buffer.from('QFHE1');
const HEADER_BYTES_MAX = 1_024;

/** Galois keys of all powers of two take 11 MB; 64 MiB leave room for every parameter set. */
export const KEY_BUNDLE_BYTES_MAX = 64 * 1024 * 1024;

const Header = z.strictObject({
  parameters: z.enum(PARAMETER_SET_NAMES),
  relinearization_bytes: z.int().nonnegative(),
  galois_bytes: z.int().nonnegative(),
});

export interface KeyBundle {
  readonly parameters: ParameterSetName;
  readonly relinearization: Uint8Array;
  readonly galois: Uint8Array;
}

/** @throws HomomorphicError `keys_malformed` */
export const parseKeyBundle = (bytes: Uint8Array): KeyBundle => {
  const start = MAGIC.length + 4;
  if (bytes.length < start || !MAGIC.equals(bytes.subarray(0, MAGIC.length))) {
    return malformed('it does not begin with QFHE1');
  }
  if (bytes.length > KEY_BUNDLE_BYTES_MAX) return malformed(`it has ${bytes.length} bytes`);
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length);
  if (headerBytes > HEADER_BYTES_MAX) return malformed(`its header has ${headerBytes} bytes`);
  const body = start + headerBytes;
  const header = Header.safeParse(jsonOf(bytes.subarray(start, body)));
  if (!header.success) return malformed('its header lacks parameters or the lengths of its parts');
  const { parameters, relinearization_bytes: relinearization, galois_bytes: galois } = header.data;
  if (body + relinearization + galois !== bytes.length) {
    return malformed('its parts do not have the lengths of the header');
  }
  return {
    parameters,
    relinearization: bytes.subarray(body, body + relinearization),
    galois: bytes.subarray(body + relinearization),
  };
};

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
};

const malformed = (detail: string): never => {
  throw new HomomorphicError('keys_malformed', `the file of evaluation keys: ${detail}`);
};
