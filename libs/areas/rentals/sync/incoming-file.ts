import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { reject } from '../rentals.errors.js';
import { type Checksum } from './checksum.js';

/** Content on disk that is no file of a workspace yet. `discard` removes what was not moved. */
export interface IncomingFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly md5: string;
}

/**
 * Writes content to a temporary file as it arrives.
 * @throws DomainError `sync_file_too_large`; an error of the content. The file is then removed.
 */
export const receive = async (
  content: AsyncIterable<Uint8Array>,
  folder: string,
  bytesMax: number,
): Promise<IncomingFile> => {
  const file = path.join(folder, randomUUID());
  const handle = await open(file, 'wx', 0o600);
  try {
    const received = await write(content, handle, bytesMax);
    return { path: file, ...received };
  } catch (error) {
    await discard(file);
    throw error;
  } finally {
    await handle.close();
  }
};

export const discard = (file: string): Promise<void> => rm(file, { force: true });

const write = async (
  content: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  bytesMax: number,
): Promise<Omit<IncomingFile, 'path'>> => {
  const [sha256, md5]: [Hash, Hash] = [createHash('sha256'), createHash('md5')];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > bytesMax) {
      reject('sync_file_too_large', `file_content has more than ${bytesMax} bytes`);
    }
    sha256.update(piece);
    md5.update(piece);
    await handle.writeFile(piece);
  }
  return { bytes, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
};

/** The digest of a file that is open. */
export const digestOf = async (
  handle: FileHandle,
  algorithm: Checksum['algorithm'],
): Promise<string> => {
  const hash = createHash(algorithm);
  const content = handle.createReadStream({ start: 0, autoClose: false });
  for await (const piece of content) hash.update(piece as Buffer);
  return hash.digest('hex');
};
