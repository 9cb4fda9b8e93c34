import { contentBytesOf } from './chunk.seal.js';

/**
 * A stored blob is its sealed chunks and then a footer: the sealed key of the chunks (ASCII), the
 * length of that text in two bytes, and `QBL1`. The key is sealed for the address, which is known
 * when the last byte of the content is.
 */
const MAGIC = Buffer.from('QBL1', 'ascii');
const LENGTH_BYTES = 2;
const FIXED_BYTES = LENGTH_BYTES + MAGIC.length;

/** Base64url. */
const SEALED_KEY = /^[\w-]+$/;

/** A sealed key has some 100 bytes. */
export const FOOTER_BYTES_MAX = 512;

export interface Footer {
  readonly sealedKey: string;
  /** Of the content. */
  readonly bytes: number;
}

export const encodeFooter = (sealedKey: string): Buffer => {
  const text = Buffer.from(sealedKey, 'ascii');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(text.length);
  return Buffer.concat([text, length, MAGIC]);
};

/**
 * @param tail the last `FOOTER_BYTES_MAX` bytes of the object, or all
 * @returns undefined when this is no blob
 */
export const decodeFooter = (tail: Buffer, objectBytes: number): Footer | undefined => {
  if (tail.length < FIXED_BYTES || !tail.subarray(-MAGIC.length).equals(MAGIC)) return undefined;
  const textBytes = tail.readUInt16BE(tail.length - FIXED_BYTES);
  const footerBytes = textBytes + FIXED_BYTES;
  if (footerBytes > tail.length) return undefined;
  const bytes = contentBytesOf(objectBytes - footerBytes);
  if (bytes === undefined) return undefined;
  const sealedKey = tail.subarray(-footerBytes, -FIXED_BYTES).toString('latin1');
  // A decoder of base64 passes over other characters: bytes of a chunk would go unnoticed.
  if (!SEALED_KEY.test(sealedKey)) return undefined;
  return { sealedKey, bytes };
};
