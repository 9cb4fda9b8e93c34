import { hash } from 'node:crypto';
import { UUID_BYTES, uuidOf, writeUuid } from './uuid-text.js';

/** Longer names get a buffer of their own. */
const HASHED_BYTES_MAX = 256;
/** By the length of the hashed bytes, of which there are usually a few. */
const buffers: Buffer[] = [];
const digest = Buffer.alloc(UUID_BYTES);

/**
 * A UUID of version 5 (RFC 9562, section 5.5): the same name in the same namespace always gives the
 * same id. Written out because every event of every command needs one, and this takes a third of
 * the time of the general library.
 *
 * @param namespace a UUID
 */
export const derivedId = (name: string, namespace: string): string => {
  const bytes = bufferOf(UUID_BYTES + Buffer.byteLength(name));
  writeUuid(bytes, namespace);
  bytes.write(name, UUID_BYTES);
  digest.write(hash('sha1', bytes, 'binary'), 'binary');
  return uuidOf(digest, 5);
};

const bufferOf = (length: number): Buffer =>
  length > HASHED_BYTES_MAX
    ? Buffer.allocUnsafe(length)
    : (buffers[length] ??= Buffer.alloc(length));
