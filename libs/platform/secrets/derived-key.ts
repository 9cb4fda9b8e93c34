import { hkdfSync } from 'node:crypto';

export const KEY_BYTES = 32;

/** HKDF-SHA256 (RFC 5869) without salt: the given key is uniformly random already. */
export const deriveKey = (key: Buffer, purpose: string): Buffer => {
  if (!/^[a-z][a-z0-9-]*$/.test(purpose)) throw new RangeError(`not a purpose: ${purpose}`);
  return Buffer.from(hkdfSync('sha256', key, '', `quipu/${purpose}/1`, KEY_BYTES));
};
