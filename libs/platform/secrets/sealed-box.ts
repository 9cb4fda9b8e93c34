import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce. A sealed box is
 * `format (1 byte) || nonce (12) || ciphertext || tag (16)`.
 */
const ALGORITHM = 'aes-256-gcm';
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** The box was changed, belongs elsewhere, or was sealed with another key. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** @param associated the context of the box; it opens only with the same text */
export const sealBox = (key: Buffer, associated: string, plaintext: Buffer): Buffer => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associated, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, ciphertext, cipher.getAuthTag()]);
};

/** @throws SealBrokenError */
export const openBox = (key: Buffer, associated: string, box: Buffer): Buffer => {
  if (box.length < HEADER_BYTES + TAG_BYTES || box[0] !== FORMAT) {
    throw new SealBrokenError('not a sealed box');
  }
  const nonce = box.subarray(1, HEADER_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associated, 'utf8'));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  try {
    const ciphertext = box.subarray(HEADER_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch (error) {
    throw new SealBrokenError('the seal is broken', { cause: error });
  }
};
