import { createCipheriv, createDecipheriv } from 'node:crypto';
import { BlobError } from './blobs.errors.js';

/**
 * The STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption
 * and its Nonce-Reuse Misuse-Resistance", CRYPTO 2015, https://eprint.iacr.org/2015/189) as the age
 * format lays it out (https://age-encryption.org/v1): chunks of 64 KiB, each with a nonce of an
 * 11-byte counter and a byte that is 1 for the last chunk only. A chunk that is changed, moved,
 * dropped or appended does not open, so content cut short at a chunk does not pass for whole.
 * The cipher is AES-256-GCM; the key is random and serves one blob, so no nonce repeats.
 */
const ALGORITHM = 'aes-256-gcm';
const COUNTER_BYTES = 11;
const TAG_BYTES = 16;

export const CHUNK_BYTES = 65_536;
/** A sealed chunk: ciphertext and tag. */
export const FRAME_BYTES = CHUNK_BYTES + TAG_BYTES;
export const CHUNK_KEY_BYTES = 32;

export interface Piece {
  /** Reused for the next piece: use it before the next iteration. */
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Cuts a source into pieces of one size; only the last is shorter, and empty if all is. */
export async function* piecesOf(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Piece, void, void> {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const given of source) {
    for (let at = 0; at < given.length;) {
      // A full piece is held back until there is another byte: it may be the last one.
      if (filled === size) {
        yield { bytes, isLast: false };
        filled = 0;
      }
      const taken = given.subarray(at, at + size - filled);
      bytes.set(taken, filled);
      filled += taken.length;
      at += taken.length;
    }
  }
  yield { bytes: bytes.subarray(0, filled), isLast: true };
}

/** @param index of the chunk, from 0 */
export const sealChunk = (
  key: Buffer,
  index: number,
  isLast: boolean,
  plaintext: Buffer,
): Buffer => {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(index, isLast), {
    authTagLength: TAG_BYTES,
  });
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
};

/** @throws BlobError `blob-damaged` */
export const openChunk = (key: Buffer, index: number, isLast: boolean, frame: Buffer): Buffer => {
  if (frame.length < TAG_BYTES) throw damaged(index);
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(index, isLast), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(frame.subarray(-TAG_BYTES));
  try {
    const plaintext = decipher.update(frame.subarray(0, -TAG_BYTES));
    decipher.final();
    return plaintext;
  } catch (error) {
    throw damaged(index, error);
  }
};

/** The bytes of content in `framesBytes` bytes of frames; undefined if no content fills them. */
export const contentBytesOf = (framesBytes: number): number | undefined => {
  const frames = Math.ceil(framesBytes / FRAME_BYTES);
  const content = framesBytes - frames * TAG_BYTES;
  const isPossible = frames === 1 ? content >= 0 : content > (frames - 1) * CHUNK_BYTES;
  return isPossible ? content : undefined;
};

const nonceOf = (index: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(COUNTER_BYTES + 1);
  nonce.writeUIntBE(index, COUNTER_BYTES - 6, 6);
  nonce[COUNTER_BYTES] = isLast ? 1 : 0;
  return nonce;
};

const damaged = (index: number, cause?: unknown): BlobError =>
  new BlobError('blob-damaged', `chunk ${index} does not open`, { cause });
